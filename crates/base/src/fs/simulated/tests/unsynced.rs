//! Bytes and lengths.

use super::*;

#[test]
fn synced_bytes_and_lengths_survive() {
    for seed in SEEDS {
        let (fs, file) = disk_with(seed, "a", &[1; 3000]);
        file.write_at(&[2; 700], 100).unwrap();
        file.set_len(2000).unwrap();
        file.write_at(&[3; 10], 5000).unwrap();
        file.sync_data().unwrap();
        let written = bytes_of(&fs, "a");
        fs.power_cycle();
        assert_eq!(bytes_of(&fs, "a"), written, "seed {seed}");
        assert_eq!(written.unwrap().len(), 5010);
    }
}

#[test]
fn synced_bytes_survive_beside_unsynced_ones() {
    for seed in SEEDS {
        let (fs, file) = disk_with(seed, "a", &[1; 2000]);
        file.write_at(&[2; 600], 700).unwrap();
        fs.power_cycle();
        let bytes = bytes_of(&fs, "a").unwrap();
        assert_eq!((&bytes[..700], &bytes[1300..]), (&[1; 700][..], &[1; 700][..]), "seed {seed}");
    }
}

#[test]
fn an_unsynced_write_is_kept_lost_or_torn_at_sectors() {
    // 100..1100 touches the sectors 0, 1 and 2; any subset of them may have made it.
    let subset = |mask: u8| {
        let mut bytes = vec![1; 1500];
        for (bit, sector) in [100..512, 512..1024, 1024..1100].into_iter().enumerate() {
            if mask & 1 << bit != 0 {
                bytes[sector].fill(2);
            }
        }
        bytes
    };
    let outcomes: Vec<_> = (0..8).map(subset).collect();
    check_outcomes(&outcomes, |seed| {
        let (fs, file) = disk_with(seed, "a", &[1; 1500]);
        file.write_at(&[2; 1000], 100).unwrap();
        fs.power_cycle();
        bytes_of(&fs, "a").unwrap()
    });
}

#[test]
fn a_write_inside_one_sector_is_never_torn() {
    check_outcomes(&[vec![1; 512], vec![2; 512]], |seed| {
        let (fs, file) = disk_with(seed, "a", &[1; 512]);
        file.write_at(&[2; 512], 0).unwrap();
        fs.power_cycle();
        bytes_of(&fs, "a").unwrap()
    });
}

#[test]
fn a_later_write_may_survive_an_earlier_one_but_never_lose_to_it() {
    let outcomes = [*b"..", *b"x.", *b".y", *b"xy"];
    check_outcomes(&outcomes, |seed| {
        let (fs, file) = disk_with(seed, "a", b"..");
        file.write_at(b"x", 0).unwrap();
        file.write_at(b"y", 1).unwrap();
        fs.power_cycle();
        bytes_of(&fs, "a").unwrap().try_into().unwrap()
    });
    check_outcomes(b".xy", |seed| {
        let (fs, file) = disk_with(seed, "a", b".");
        file.write_at(b"x", 0).unwrap();
        file.write_at(b"y", 0).unwrap();
        fs.power_cycle();
        bytes_of(&fs, "a").unwrap()[0]
    });
}

#[test]
fn a_length_may_survive_without_its_bytes_and_bytes_without_their_length() {
    // A growing write: gone, whole, or only its length, which reads as zeroes.
    check_outcomes(&[b"..".to_vec(), b"..ab".to_vec(), b"..\0\0".to_vec()], |seed| {
        let (fs, file) = disk_with(seed, "a", b"..");
        file.write_at(b"ab", 2).unwrap();
        fs.power_cycle();
        bytes_of(&fs, "a").unwrap()
    });
    // set_len(6), then a write at 3: the write alone grows the file as far as it needs.
    let outcomes = [&b".."[..], b"..\0\0\0\0", b"..\0x", b"..\0x\0\0"].map(<[u8]>::to_vec);
    check_outcomes(&outcomes, |seed| {
        let (fs, file) = disk_with(seed, "a", b"..");
        file.set_len(6).unwrap();
        file.write_at(b"x", 3).unwrap();
        fs.power_cycle();
        bytes_of(&fs, "a").unwrap()
    });
}

#[test]
fn cutting_a_file_is_kept_or_lost() {
    check_outcomes(&[b"abcd".to_vec(), b"ab".to_vec()], |seed| {
        let (fs, file) = disk_with(seed, "a", b"abcd");
        file.set_len(2).unwrap();
        fs.power_cycle();
        bytes_of(&fs, "a").unwrap()
    });
}

#[test]
fn now_and_then_everything_survives_and_now_and_then_nothing() {
    let run = |seed| {
        let (fs, file) = disk_with(seed, "a", &[0; 64]);
        (0..64).for_each(|at| file.write_at(&[1], at).unwrap());
        fs.power_cycle();
        bytes_of(&fs, "a").unwrap().iter().filter(|byte| **byte == 1).count()
    };
    let kept: Vec<_> = SEEDS.map(run).collect();
    // 64 independent fates never agree by accident, so these are the two special power cuts.
    let share = |count| kept.iter().filter(|found| **found == count).count();
    assert!((10..50).contains(&share(64)), "{} of 200 kept all", share(64));
    assert!((10..50).contains(&share(0)), "{} of 200 kept nothing", share(0));
}

#[test]
fn readers_see_what_was_written_synced_or_not() {
    let (_fs, file) = disk_with(0, "a", b"abc");
    file.write_at(b"XY", 2).unwrap();
    let mut buf = [0; 4];
    file.read_at(&mut buf, 0).unwrap();
    assert_eq!(&buf, b"abXY");
    assert_eq!(file.read_at(&mut buf, 1).unwrap_err().kind(), std::io::ErrorKind::UnexpectedEof);
    file.set_len(3).unwrap();
    file.set_len(4).unwrap();
    file.read_at(&mut buf, 0).unwrap();
    assert_eq!(&buf, b"abX\0");
    file.write_at(b"", 100).unwrap();
    file.read_at(&mut [], 100).unwrap();
    assert_eq!(file.len().unwrap(), 4);
}

#[test]
fn an_absurd_offset_is_an_error() {
    let (_fs, file) = disk_with(0, "a", b"abc");
    for offset in [u64::MAX, u64::MAX - 1, 1 << 60] {
        assert_eq!(file.write_at(b"x", offset).unwrap_err().kind(), std::io::ErrorKind::FileTooLarge);
        assert_eq!(file.set_len(offset).unwrap_err().kind(), std::io::ErrorKind::FileTooLarge);
        assert_eq!(file.read_at(&mut [0], offset).unwrap_err().kind(), std::io::ErrorKind::UnexpectedEof);
    }
}
