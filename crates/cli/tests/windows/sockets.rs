//! `tenon serve` on named pipes.

use tokio::net::windows::named_pipe::ServerOptions;

use crate::program::{Place, Program, tenon};

fn serve(place: &Place, name: &str) -> Program {
    let server = place.start(["serve", "--socket", name, "--", &tenon(), "echo"]);
    server.until_said("listening on");
    server
}

#[test]
fn a_plugin_is_served_on_a_pipe() {
    let place = Place::new();
    let name = place.pipe();
    let server = serve(&place, &name);
    for number in 0..3 {
        let params = format!("[{number},1]");
        let printed = place
            .tenon(["call", "add", &params, "--socket", &name])
            .printed();
        assert_eq!(printed, format!("{}\n", number + 1));
    }
    let path = format!(r"\\.\pipe\{name}");
    let printed = place
        .tenon(["call", "add", "[2,2]", "--socket", &path])
        .printed();
    assert_eq!(printed, "4\n");
    server.kill();
    let gone = place
        .tenon(["call", "add", "[2,2]", "--socket", &name])
        .failed(3);
    assert!(gone.contains(&name), "{gone}");
}

/// They lead to devices, to other machines and out of the folder of pipes.
#[test]
fn names_that_lead_elsewhere_are_refused() {
    let place = Place::new();
    for name in [
        r"\\.\pipe\..\x",
        r"\\.\CON",
        r"\\?\C:\x",
        r"C:\x",
        r"..\x",
        r"\\server\pipe\x",
        "//server/pipe/x",
        "a*b",
        "..",
    ] {
        let refused = place.tenon(["call", "add", "[1,2]", "--socket", name]);
        assert!(matches!(refused.code, Some(2 | 3)), "{name}: {refused:?}");
        let refused = place.tenon(["serve", "--socket", name, "--", &tenon(), "echo"]);
        assert!(matches!(refused.code, Some(2 | 3)), "{name}: {refused:?}");
    }
}

/// `CON` is a device among files, and a name like others among pipes.
#[test]
fn a_pipe_can_have_the_name_of_a_device() {
    let place = Place::new();
    let _server = serve(&place, "CON");
    let printed = place
        .tenon(["call", "add", "[1,2]", "--socket", "CON"])
        .printed();
    assert_eq!(printed, "3\n");
}

/// Another process has taken the name. Wine does not know who was first, but how many servers a pipe may have.
#[tokio::test]
async fn a_pipe_of_another_process_is_not_served() {
    let place = Place::new();
    let name = place.pipe();
    let path = format!(r"\\.\pipe\{name}");
    let squatter = ServerOptions::new().max_instances(1).create(&path).unwrap();
    let refused = place.tenon(["serve", "--socket", &name, "--", &tenon(), "echo"]);
    assert_eq!(refused.code, Some(3), "{refused:?}");
    assert!(refused.stderr.contains(&name), "{refused:?}");
    drop(squatter);
}
