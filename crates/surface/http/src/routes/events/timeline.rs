//! The newest events as text, made once for all streams.
//!
//! Bounded: what is older has to be read of history by whoever still needs it. So a stream that is slow
//! costs nobody else anything, and streams that keep up cost a copy of the text each.

use std::collections::VecDeque;

use axum::body::Bytes;
use cairn_base::ContextId;
use cairn_engine::Place;
use parking_lot::Mutex;
use tokio::sync::watch;

use crate::limits;

/// What is taken at a time, roughly: a client that does not read makes us hold one of these.
const TAKE_BYTES: usize = 64 << 10;

/// An event, ready to be sent.
#[derive(Debug, Clone)]
pub(super) struct Item {
    /// Whoever has seen it is here; `None` for what is in no history.
    pub(super) place: Option<Place>,
    pub(super) about: About,
    pub(super) text: Bytes,
}

/// Whom an event concerns.
#[derive(Debug, Clone)]
pub(super) enum About {
    /// Those who follow this context, or all.
    Context(ContextId),
    /// A session that worked on these.
    Session(Vec<ContextId>),
    /// Every stream.
    Everyone,
}

impl About {
    fn concerns(&self, only: Option<ContextId>) -> bool {
        let Some(only) = only else { return true };
        match self {
            About::Context(context) => *context == only,
            About::Session(contexts) => contexts.contains(&only),
            About::Everyone => true,
        }
    }
}

/// How far a stream is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cursor {
    /// Everything up to here was sent, or did not concern it.
    pub(super) place: Place,
    /// The number of the next event.
    next: u64,
}

/// What there is for a stream.
#[derive(Debug)]
pub(super) enum Taken {
    /// These events.
    Texts(Vec<Bytes>),
    /// Nothing now.
    Nothing,
    /// It has to read history first: what it needs is not here any more.
    Behind,
    /// It has not heard of some who came or went, and will not.
    SessionsMissed,
    /// Nothing, ever again.
    Ended,
}

#[derive(Debug)]
pub(super) struct Timeline {
    state: Mutex<State>,
    news: watch::Sender<()>,
}

#[derive(Debug)]
struct State {
    items: VecDeque<Item>,
    /// The number of the first of them.
    first: u64,
    bytes: usize,
    /// Every event of history after this one is here, up to `read_to`.
    floor: Place,
    read_to: Place,
    /// Events of sessions before this number are gone.
    sessions_from: u64,
    /// How far history was read when somebody last came or went. A stream that has seen anything later has
    /// seen that too.
    sessions_at: Place,
    ended: bool,
}

impl Timeline {
    pub(super) fn new(begin: Place) -> Self {
        let state = State {
            items: VecDeque::new(),
            first: 0,
            bytes: 0,
            floor: begin,
            read_to: begin,
            sessions_from: 0,
            // Nobody listened before.
            sessions_at: begin,
            ended: false,
        };
        Timeline { state: Mutex::new(state), news: watch::channel(()).0 }
    }

    /// Changes whenever there is something to take.
    pub(super) fn news(&self) -> watch::Receiver<()> {
        self.news.subscribe()
    }

    /// A stream that begins after a place, and hears of everyone who comes or goes from here on.
    pub(super) fn enter(&self, place: Place) -> Cursor {
        Cursor { place, next: self.state.lock().first_after(place) }
    }

    /// Whether a client whose last event is at a place may not know of all who came and went since.
    pub(super) fn has_sessions_after(&self, place: Place) -> bool {
        place <= self.state.lock().sessions_at
    }

    /// Adds events, and says how far history has been read.
    pub(super) fn push(&self, items: impl IntoIterator<Item = Item>, read_to: Option<Place>) {
        let mut state = self.state.lock();
        for item in items {
            if item.place.is_none() {
                state.sessions_at = state.read_to;
            }
            state.bytes += size(&item);
            state.items.push_back(item);
        }
        if let Some(read_to) = read_to {
            state.read_to = read_to;
        }
        state.drop_oldest();
        drop(state);
        self.news.send_replace(());
    }

    /// History before a place is not known: whoever is not as far has to look for himself.
    pub(super) fn jump(&self, to: Place) {
        let mut state = self.state.lock();
        state.floor = to;
        state.read_to = to;
        drop(state);
        self.news.send_replace(());
    }

    /// Whether every stream has ended.
    pub(super) fn has_ended(&self) -> bool {
        self.state.lock().ended
    }

    /// Ends every stream.
    pub(super) fn end(&self) {
        self.state.lock().ended = true;
        self.news.send_replace(());
    }

    /// What there is after a cursor, which moves past it.
    pub(super) fn take(&self, cursor: &mut Cursor, only: Option<ContextId>) -> Taken {
        let state = self.state.lock();
        if state.ended {
            return Taken::Ended;
        }
        if cursor.place < state.floor {
            return Taken::Behind;
        }
        if cursor.next < state.sessions_from {
            cursor.next = state.first;
            return Taken::SessionsMissed;
        }
        let mut next = cursor.next.max(state.first);
        let mut texts = Vec::new();
        let mut bytes = 0;
        let skip = usize::try_from(next - state.first).unwrap_or(usize::MAX);
        for item in state.items.iter().skip(skip) {
            if bytes >= TAKE_BYTES {
                cursor.next = next;
                return Taken::Texts(texts);
            }
            next += 1;
            if item.place.is_some_and(|place| place <= cursor.place) {
                continue;
            }
            cursor.place = item.place.unwrap_or(cursor.place);
            if item.about.concerns(only) {
                bytes += item.text.len();
                texts.push(item.text.clone());
            }
        }
        cursor.next = next;
        cursor.place = cursor.place.max(state.read_to);
        if texts.is_empty() { Taken::Nothing } else { Taken::Texts(texts) }
    }
}

impl State {
    fn drop_oldest(&mut self) {
        while self.bytes > limits::EVENT_TIMELINE_BYTES_MAX
            && let Some(oldest) = self.items.pop_front()
        {
            self.bytes -= size(&oldest);
            self.first += 1;
            match (oldest.place, oldest.about) {
                (Some(place), _) => self.floor = place,
                (None, _) => self.sessions_from = self.first,
            }
        }
    }

    /// The number of the first event of history after a place.
    fn first_after(&self, place: Place) -> u64 {
        let found = self.items.iter().position(|item| item.place.is_some_and(|at| at > place));
        self.first + found.unwrap_or(self.items.len()) as u64
    }
}

fn size(item: &Item) -> usize {
    let about = match &item.about {
        About::Session(contexts) => contexts.len() * size_of::<ContextId>(),
        About::Context(_) | About::Everyone => 0,
    };
    size_of::<Item>() + item.text.len() + about
}

#[cfg(test)]
mod tests {
    use cairn_base::Position;

    use super::*;

    fn place(at: u64) -> Place {
        Place::after(Position::from_stored(at))
    }

    fn turn(at: u64, context: u64) -> Item {
        let text = Bytes::from(format!("{at} in {context}\n"));
        Item { place: Some(place(at)), about: About::Context(ContextId(context)), text }
    }

    fn session(name: &'static str, contexts: &[u64]) -> Item {
        let contexts = contexts.iter().copied().map(ContextId).collect();
        Item { place: None, about: About::Session(contexts), text: Bytes::from_static(name.as_bytes()) }
    }

    fn large(at: u64) -> Item {
        let text = Bytes::from(vec![b'x'; limits::EVENT_TIMELINE_BYTES_MAX / 2]);
        Item { place: Some(place(at)), about: About::Context(ContextId(1)), text }
    }

    fn take(timeline: &Timeline, cursor: &mut Cursor, only: Option<u64>) -> Vec<String> {
        let taken = timeline.take(cursor, only.map(ContextId));
        let Taken::Texts(texts) = taken else { return vec![format!("{taken:?}")] };
        texts.iter().map(|text| String::from_utf8_lossy(text).trim().to_owned()).collect()
    }

    #[test]
    fn a_stream_gets_what_comes_after_its_place_once() {
        let timeline = Timeline::new(place(10));
        timeline.push([turn(15, 1), session("came", &[]), turn(20, 1), turn(21, 2)], Some(place(30)));
        let (mut from_now, mut earlier) = (timeline.enter(place(20)), timeline.enter(place(10)));
        assert_eq!(take(&timeline, &mut from_now, None), ["21 in 2"]);
        assert_eq!(from_now.place, place(30), "it need not look there again");
        assert_eq!(take(&timeline, &mut from_now, None), ["Nothing"]);
        assert_eq!(take(&timeline, &mut earlier, None), ["15 in 1", "came", "20 in 1", "21 in 2"]);
        timeline.push([session("went", &[1])], None);
        timeline.push([turn(31, 1)], Some(place(31)));
        assert_eq!(take(&timeline, &mut from_now, None), ["went", "31 in 1"]);
        assert_eq!(take(&timeline, &mut timeline.enter(place(9)), None), ["Behind"]);
    }

    #[test]
    fn a_stream_of_one_context_gets_only_what_concerns_it() {
        let timeline = Timeline::new(place(0));
        let everyone = Item { about: About::Everyone, ..session("all", &[]) };
        let items = [turn(1, 1), turn(2, 2), session("came", &[]), session("went", &[2, 1]), everyone];
        timeline.push(items, Some(place(5)));
        let mut cursor = timeline.enter(place(0));
        assert_eq!(take(&timeline, &mut cursor, Some(1)), ["1 in 1", "went", "all"]);
        assert_eq!(cursor.place, place(5));
    }

    #[test]
    fn memory_is_bounded_and_who_is_late_reads_history() {
        let timeline = Timeline::new(place(0));
        let (mut late, mut kept_up) = (timeline.enter(place(0)), timeline.enter(place(0)));
        timeline.push([turn(1, 1), session("came", &[])], Some(place(1)));
        assert_eq!(take(&timeline, &mut late, None).len(), 2);
        assert_eq!(take(&timeline, &mut kept_up, None).len(), 2);
        for at in 2..10 {
            timeline.push([large(at)], Some(place(at)));
            assert!(timeline.state.lock().bytes <= limits::EVENT_TIMELINE_BYTES_MAX);
            assert_eq!(take(&timeline, &mut kept_up, None).len(), 1);
        }
        assert_eq!(take(&timeline, &mut late, None), ["Behind"]);
        // It reads history up to 8, and finds itself among the rest.
        late.place = place(8);
        assert_eq!(take(&timeline, &mut late, Some(7)), ["Nothing"], "no session was lost on it");
        assert_eq!(late.place, place(9));
    }

    #[test]
    fn who_missed_a_session_is_told_once() {
        let timeline = Timeline::new(place(0));
        let mut late = timeline.enter(place(0));
        assert_eq!(take(&timeline, &mut late, None), ["Nothing"]);
        timeline.push([session("came", &[]), large(1), large(2), large(3)], Some(place(3)));
        assert_eq!(take(&timeline, &mut late, None), ["Behind"]);
        late.place = place(3);
        assert_eq!(take(&timeline, &mut late, None), ["SessionsMissed"]);
        assert_eq!(take(&timeline, &mut late, None), ["Nothing"]);
    }

    #[test]
    fn who_comes_before_the_first_look_is_not_lost() {
        let timeline = Timeline::new(place(0));
        timeline.push([turn(1, 1)], Some(place(1)));
        let mut cursor = timeline.enter(place(1));
        timeline.push([session("came", &[])], None);
        assert_eq!(take(&timeline, &mut cursor, None), ["came"]);
    }

    #[test]
    fn who_comes_back_missed_nobody_only_if_that_is_certain() {
        let timeline = Timeline::new(place(5));
        assert!(timeline.has_sessions_after(place(5)), "nobody listened before");
        timeline.push([turn(6, 1), turn(7, 1)], Some(place(7)));
        assert!(!timeline.has_sessions_after(place(6)));
        timeline.push([session("came", &[])], None);
        for at in 5..=7 {
            assert!(timeline.has_sessions_after(place(at)), "{at}");
        }
        timeline.push([turn(8, 1)], Some(place(9)));
        assert!(!timeline.has_sessions_after(place(8)), "it came before this event");
    }

    #[test]
    fn much_is_taken_in_pieces() {
        let timeline = Timeline::new(place(0));
        let text = Bytes::from(vec![b'x'; TAKE_BYTES / 2]);
        let items = (1..=5).map(|at| Item { text: text.clone(), ..turn(at, 1) });
        timeline.push(items, Some(place(5)));
        let mut cursor = timeline.enter(place(0));
        let mut counts = Vec::new();
        while let Taken::Texts(texts) = timeline.take(&mut cursor, None) {
            counts.push((texts.len(), cursor.place));
        }
        assert_eq!(counts, [(2, place(2)), (2, place(4)), (1, place(5))]);
    }

    #[test]
    fn an_end_is_an_end() {
        let timeline = Timeline::new(place(0));
        let mut news = timeline.news();
        news.mark_unchanged();
        timeline.push([turn(1, 1)], Some(place(1)));
        timeline.end();
        assert!(news.has_changed().is_ok_and(|changed| changed));
        assert_eq!(take(&timeline, &mut timeline.enter(place(0)), None), ["Ended"]);
    }
}
