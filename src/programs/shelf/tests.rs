//! Adding, finding and removing users' bots.

use super::*;
use std::sync::Barrier;
use tempfile::TempDir;

/// A bot's folder with this version and program.
fn bot(version: &str, program: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let manifest = format!(
        "name = \"mine\"\nversion = {version:?}\ngames = [\"planowanie\"]\nrun = [\"./run\"]\n"
    );
    fs::write(folder.path().join("bot.toml"), manifest).unwrap();
    let run = folder.path().join("run");
    fs::write(&run, program).unwrap();
    fs::set_permissions(&run, fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

fn built(version: &str, script: &str) -> TempDir {
    let bot = bot(version, "#!/bin/sh\n");
    let path = bot.path().join("bot.toml");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(
        &path,
        format!("{text}build = [\"sh\", \"-c\", {script:?}]\n"),
    )
    .unwrap();
    bot
}

fn shelf() -> (TempDir, Shelf) {
    let folder = tempfile::tempdir().unwrap();
    let shelf = Shelf::new(folder.path().join("bots"));
    (folder, shelf)
}

fn version_of(shelf: &Shelf, asked: &str) -> Result<String, String> {
    let launch = shelf.get(&asked.parse().unwrap());
    launch
        .map(|launch| launch.version)
        .map_err(|why| why.to_string())
}

/// What lies on a shelf besides its lock.
fn names_on(shelf: &Shelf) -> Vec<String> {
    let entries = fs::read_dir(shelf.folder()).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name != LOCK).collect()
}

#[test]
fn the_one_added_last_is_found_by_its_name_alone() {
    let (_folder, shelf) = shelf();
    let error = version_of(&shelf, "mine").unwrap_err();
    assert_eq!(
        error,
        "there is no bot mine; none was added: drover bot add FOLDER"
    );
    for version in ["2", "10", "1"] {
        let (_, added) = shelf.add(bot(version, "x").path()).unwrap();
        let expected = |added: &Added| matches!(added, Added::New { files: 2, .. });
        assert!(expected(&added), "{added:?}");
        assert_eq!(version_of(&shelf, "mine").as_deref(), Ok(version));
    }
    assert_eq!(version_of(&shelf, "mine@10").as_deref(), Ok("10"));
    let error = version_of(&shelf, "mine@3").unwrap_err();
    assert_eq!(error, "there is no bot mine@3; its versions are: 2, 10, 1");
    assert_eq!(
        version_of(&shelf, "other").unwrap_err(),
        "there is no bot other; there are: mine"
    );
    // Added again, it is the one meant by the name.
    let (_, added) = shelf.add(bot("10", "x").path()).unwrap();
    assert_eq!(added, Added::Again);
    assert_eq!(version_of(&shelf, "mine").as_deref(), Ok("10"));
    let all = shelf.all().unwrap();
    let listed: Vec<_> = all
        .iter()
        .map(|kept| (&*kept.version.version, kept.is_last))
        .collect();
    assert_eq!(listed, [("2", false), ("1", false), ("10", true)]);
}

#[test]
fn a_version_keeps_its_content() {
    let (_folder, shelf) = shelf();
    shelf.add(bot("1", "one").path()).unwrap();
    let error = shelf.add(bot("1", "two").path()).unwrap_err().to_string();
    assert!(
        error.contains("mine@1 is already there with other content"),
        "{error}"
    );
    let launch = shelf.get(&"mine".parse().unwrap()).unwrap();
    assert_eq!(fs::read(launch.directory.join("run")).unwrap(), b"one");
    assert_eq!(names_on(&shelf), ["mine"]);
}

#[test]
fn a_bot_is_built_on_the_shelf_and_not_where_it_comes_from() {
    let (_folder, shelf) = shelf();
    let source = built("1", "echo made > product");
    shelf.add(source.path()).unwrap();
    let launch = shelf.get(&"mine".parse().unwrap()).unwrap();
    assert_eq!(
        fs::read(launch.directory.join("product")).unwrap(),
        b"made\n"
    );
    assert!(!source.path().join("product").exists());
    // What is built need not come out the same twice: the source counts.
    assert_eq!(shelf.add(source.path()).unwrap().1, Added::Again);
    let message = shelf.add(built("2", "echo broken; exit 1").path());
    let message = message.unwrap_err().to_string();
    assert!(message.contains("broken"), "{message}");
    assert_eq!(version_of(&shelf, "mine").as_deref(), Ok("1"));
    assert_eq!(names_on(&shelf), ["mine"]);
}

#[test]
fn a_bot_that_cannot_be_run_is_refused() {
    let (_folder, shelf) = shelf();
    let bot = bot("1", "x");
    let run = bot.path().join("run");
    fs::set_permissions(&run, fs::Permissions::from_mode(0o644)).unwrap();
    let error = shelf.add(bot.path()).unwrap_err().to_string();
    assert!(
        error.contains("\"./run\" cannot be started: Permission denied"),
        "{error}"
    );
    fs::remove_file(&run).unwrap();
    let error = shelf.add(bot.path()).unwrap_err().to_string();
    assert!(error.contains("No such file"), "{error}");
    // A build may make it.
    let path = bot.path().join("bot.toml");
    let text = fs::read_to_string(&path).unwrap();
    let made = "build = [\"sh\", \"-c\", \"echo x > run; chmod +x run\"]\n";
    fs::write(&path, format!("{text}{made}")).unwrap();
    shelf.add(bot.path()).unwrap();
}

/// What another machine's shelf makes of a bot that this one has packed.
fn carried(from: &Shelf, digest: &str, built: bool) -> (TempDir, Shelf, Result<Manifest, String>) {
    let (folder, other) = shelf();
    let packed = from.pack(&"mine@1".parse().unwrap(), built).unwrap();
    let received = other.receive(packed, digest, built);
    (folder, other, received.map_err(|why| why.to_string()))
}

#[test]
fn a_bot_comes_to_another_machine_as_it_was_added_or_as_it_was_built() {
    let (_folder, here) = shelf();
    // Each build makes something else, and changes what was added.
    let script = "cat /proc/sys/kernel/random/uuid > run; echo y >> bot.toml.old; chmod +x run";
    here.add(built("1", script).path()).unwrap();
    let name: BotName = "mine@1".parse().unwrap();
    let digest = here.digest(&name).unwrap().unwrap();
    let run = |shelf: &Shelf| fs::read_to_string(shelf.folder().join("mine/1/run")).unwrap();
    for is_built in [true, false] {
        let (_folder, there, received) = carried(&here, &digest, is_built);
        assert_eq!(received.unwrap().name, "mine");
        assert_eq!(there.digest(&name).unwrap().as_ref(), Some(&digest));
        assert_eq!(run(&there) == run(&here), is_built);
        assert_eq!(names_on(&there), ["mine"]);
        // Of what came from elsewhere no copy is kept.
        let again = there.pack(&name, false).unwrap_err().to_string();
        assert!(again.contains("as it was added, is not kept"), "{again}");
    }
    let (_folder, there, received) = carried(&here, "another", false);
    let refused = received.unwrap_err();
    assert!(
        refused.contains("is not the one that was added"),
        "{refused}"
    );
    assert_eq!(names_on(&there), [""; 0]);
    // Added again where the copy is missing, it has one.
    fs::remove_file(here.folder().join("mine/.1.tar.zst")).unwrap();
    assert!(here.pack(&name, false).is_err());
    here.add(built("1", script).path()).unwrap();
    assert!(carried(&here, &digest, false).2.is_ok());
}

#[test]
fn a_bot_that_needs_no_build_is_packed_from_where_it_lies() {
    let (_folder, here) = shelf();
    here.add(bot("1", "x").path()).unwrap();
    let digest = here.digest(&"mine".parse().unwrap()).unwrap().unwrap();
    assert!(!here.folder().join("mine/.1.tar.zst").exists());
    let (_folder, there, received) = carried(&here, &digest, false);
    assert_eq!(received.unwrap().version, "1");
    assert_eq!(version_of(&there, "mine").as_deref(), Ok("1"));
    // Changed by hand, it is no longer what was added.
    fs::write(here.folder().join("mine/1/run"), "y").unwrap();
    let refused = here.pack(&"mine@1".parse().unwrap(), false).unwrap_err();
    assert!(matches!(refused, ShelfError::NotTheSame(_)), "{refused}");
}

#[test]
fn a_build_that_makes_another_bot_is_refused() {
    let (_folder, shelf) = shelf();
    let script = "sed -i s/mine/other/ bot.toml";
    let refused = shelf.add(built("1", script).path()).unwrap_err();
    assert!(matches!(refused, ShelfError::Rewritten), "{refused}");
    assert_eq!(names_on(&shelf), [""; 0]);
}

#[test]
fn what_is_removed_is_gone() {
    let (_folder, shelf) = shelf();
    let remove = |asked: &str| shelf.remove(&asked.parse().unwrap());
    assert!(remove("mine").is_err());
    for version in ["1", "2", "3"] {
        shelf.add(bot(version, "x").path()).unwrap();
    }
    assert_eq!(remove("mine@3").unwrap(), ["3"]);
    assert_eq!(version_of(&shelf, "mine").as_deref(), Ok("2"));
    assert!(remove("mine@3").is_err());
    assert_eq!(remove("mine").unwrap(), ["1", "2"]);
    assert_eq!(names_on(&shelf), [""; 0]);
    shelf.add(bot("1", "another").path()).unwrap();
    assert_eq!(version_of(&shelf, "mine").as_deref(), Ok("1"));
}

#[test]
fn an_addition_that_was_cut_off_leaves_nothing() {
    let (_folder, shelf) = shelf();
    shelf.add(bot("1", "x").path()).unwrap();
    // Killed while copying, and between the folder and the list.
    fs::create_dir(shelf.folder().join(".staging-killed")).unwrap();
    fs::create_dir(shelf.folder().join("mine/2")).unwrap();
    assert!(version_of(&shelf, "mine@2").is_err());
    shelf.add(bot("2", "whole").path()).unwrap();
    let launch = shelf.get(&"mine@2".parse().unwrap()).unwrap();
    assert_eq!(fs::read(launch.directory.join("run")).unwrap(), b"whole");
    assert_eq!(names_on(&shelf), ["mine"]);
}

#[test]
fn many_add_at_once() {
    let (_folder, shelf) = shelf();
    let start = Barrier::new(8);
    std::thread::scope(|scope| {
        for number in 0..8 {
            let (shelf, start) = (&shelf, &start);
            scope.spawn(move || {
                let bot = bot(&format!("v{}", number % 4), "x");
                start.wait();
                shelf.add(bot.path()).unwrap();
            });
        }
    });
    assert_eq!(shelf.all().unwrap().len(), 4);
}

#[test]
fn a_broken_list_is_reported_and_leads_nowhere() {
    let (_folder, shelf) = shelf();
    shelf.add(bot("1", "x").path()).unwrap();
    let list = shelf.folder().join("mine/.added.json");
    let text = fs::read_to_string(&list).unwrap();
    fs::write(&list, text.replace("\"1\"", "\"../../..\"")).unwrap();
    assert!(version_of(&shelf, "mine").is_err());
    fs::write(&list, "[").unwrap();
    let error = version_of(&shelf, "mine").unwrap_err();
    assert!(error.contains(".added.json"), "{error}");
    assert!(shelf.find("mine", None).is_none());
    assert!(shelf.find("../mine", None).is_none());
}
