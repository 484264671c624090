//! Work that nobody waits for.

/// What the system is told: a thread with this gets a tenth of the time of one that somebody waits for.
#[cfg(target_os = "linux")]
const STEPS: i32 = 10;

/// Has the calling thread, and those that it starts from now on, let others go first when there is more to
/// do than there are processors. Where the system knows such a thing of whole processes only, it does nothing.
pub fn step_back() {
    #[cfg(target_os = "linux")]
    {
        // Whoever may not even step back goes on as before.
        let _ = rustix::process::nice(STEPS);
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn only_the_thread_that_asks_steps_back_with_its_children() {
        let steps = || rustix::process::getpriority_process(None).unwrap();
        let before = steps();
        let wanted = (before + STEPS).min(19);
        let in_thread = std::thread::spawn(move || {
            step_back();
            (steps(), std::thread::spawn(steps).join().unwrap())
        });
        assert_eq!(in_thread.join().unwrap(), (wanted, wanted));
        assert_eq!(steps(), before);
    }
}
