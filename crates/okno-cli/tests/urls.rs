//! Pages from a real server on this machine: what is fetched, what is refused, and how politely.
#![cfg(feature = "fetch")]

mod support;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use support::{Ran, World, counts, skipped, text};

/// What a path answers: writes to the connection; gets the request's headers.
type Handler = Box<dyn Fn(&mut TcpStream, &str) + Send + Sync>;

/// A server with a few pages that remembers what it was asked.
struct Server {
    port: u16,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Server {
    fn new(pages: Vec<(&'static str, Handler)>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (pages, heard): (Arc<BTreeMap<_, _>>, _) = (Arc::new(pages.into_iter().collect()), Arc::clone(&asked));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (pages, heard) = (Arc::clone(&pages), Arc::clone(&heard));
                std::thread::spawn(move || serve(stream, &pages, &heard));
            }
        });
        Self { port, asked }
    }

    fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// The requests since the last time, `robots.txt` not counted.
    fn asked(&self) -> Vec<String> {
        let mut asked = self.asked.lock().unwrap();
        std::mem::take(&mut *asked).into_iter().filter(|request| !request.starts_with("/robots.txt")).collect()
    }
}

fn serve(mut stream: TcpStream, pages: &BTreeMap<&'static str, Handler>, log: &Mutex<Vec<String>>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut head = String::new();
    while reader.read_line(&mut head).is_ok_and(|read| read > 2) {}
    let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
    log.lock().unwrap().push(path.clone());
    match pages.get(path.split('?').next().unwrap_or_default()) {
        Some(page) => page(&mut stream, &head),
        None => answer(&mut stream, "404 Not Found", "", b"nothing here"),
    }
}

fn answer(stream: &mut TcpStream, status: &str, headers: &str, body: &[u8]) {
    // A client that has gone away is part of some tests.
    let _ = write!(stream, "HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n{headers}\r\n", body.len());
    let _ = stream.write_all(body);
}

fn page(headers: &'static str, body: impl AsRef<[u8]> + Send + Sync + 'static) -> Handler {
    Box::new(move |stream, _| answer(stream, "200 OK", headers, body.as_ref()))
}

fn redirect(to: &'static str) -> Handler {
    Box::new(move |stream, _| answer(stream, "302 Found", &format!("Location: {to}\r\n"), b""))
}

const HTML: &str = "Content-Type: text/html; charset=utf-8\r\n";

/// `okno index --json` with nothing but the URLs given, private addresses allowed and no pause.
fn index(world: &World, arguments: &[&str]) -> Ran {
    let mut command = world.command();
    command.env("OKNO_FETCH_DELAY", "0").env("OKNO_FETCH_TIMEOUT", "2");
    Ran::of(command.args(["index", "--json", "--allow-private"]).args(arguments))
}

#[test]
fn a_page_is_a_document_named_by_its_url() {
    let server = Server::new(vec![
        (
            "/tea",
            page(
                HTML,
                "<html><head><title>Tea</title></head><body><p>Green tea wants seventy degrees.</p></body></html>",
            ),
        ),
        (
            "/notes.md",
            page(
                "Content-Type: text/plain\r\nLast-Modified: Fri, 28 Jul 2023 16:40:00 GMT\r\n",
                "# Soup\n\nLeek soup wants butter.",
            ),
        ),
        ("/%E8%8F%9C", page(HTML, "<p>番茄炒蛋先炒蛋。</p>")),
    ]);
    let world = World::new();
    let (tea, notes, dish) = (server.url("/tea"), server.url("/notes.md"), server.url("/菜"));
    world.write("urls.txt", format!("# more\n\n{notes}\n{tea}#part\n{dish}\n"));
    assert_eq!(counts(&index(&world, &[&tea, "--urls", "urls.txt"]).succeeds().json()), [3, 0, 0, 0]);
    let documents = world.documents();
    assert_eq!(documents.keys().collect::<Vec<_>>(), [&notes, &tea, &dish]);
    assert_eq!(text(&documents[&tea], "title"), "Tea");
    assert_eq!(text(&documents[&notes]["metadata"], "modified"), "2023-07-28");
    assert_eq!(text(&documents[&dish]["metadata"], "type"), "html");
    assert_eq!(world.found("green tea degrees")[0], tea);
    assert_eq!(world.text(&tea).trim(), "Green tea wants seventy degrees.");
    world.okno(["remove", "--root", &tea]).succeeds();
    assert_eq!(world.names(), [notes, dish]);
}

#[test]
fn a_page_that_is_the_same_is_not_sent_again() {
    let state = Arc::new(Mutex::new("\"one\"".to_owned()));
    let (tag, validated) = (Arc::clone(&state), Arc::new(Mutex::new(0)));
    let count = Arc::clone(&validated);
    let tagged: Handler = Box::new(move |stream, head| {
        let tag = tag.lock().unwrap().clone();
        if head.to_ascii_lowercase().contains(&format!("if-none-match: {tag}")) {
            *count.lock().unwrap() += 1;
            return answer(stream, "304 Not Modified", "", b"");
        }
        answer(stream, "200 OK", &format!("ETag: {tag}\r\n"), format!("The state is {tag}.").as_bytes());
    });
    let server = Server::new(vec![("/a.txt", tagged), ("/plain.txt", page("", "No tag at all."))]);
    let world = World::new();
    let urls = [server.url("/a.txt"), server.url("/plain.txt")];
    index(&world, &[&urls[0], &urls[1]]).succeeds();
    assert_eq!(counts(&index(&world, &[]).succeeds().json()), [0, 0, 0, 2]);
    assert_eq!(*validated.lock().unwrap(), 1);
    *state.lock().unwrap() = "\"two\"".to_owned();
    assert_eq!(counts(&index(&world, &[]).succeeds().json()), [0, 1, 0, 1]);
    assert!(world.text(&urls[0]).contains("two"));
    // Other rules need the page itself, whatever the server says of it.
    world.write("okno.toml", "[[rules]]\npath = \"127.0.0.1:*/*.txt\"\nset = { page = \"$2\" }\n");
    assert_eq!(counts(&index(&world, &[]).succeeds().json()), [0, 2, 0, 0]);
    assert_eq!(world.documents()[&urls[0]]["metadata"]["page"], "a");
}

#[test]
fn redirects_are_followed_up_to_a_limit() {
    let server = Server::new(vec![
        ("/old", redirect("/new/")),
        ("/new/", redirect("page.txt?x=1")),
        ("/new/page.txt", page("", "Moved twice.")),
        ("/loop", redirect("/loop")),
        ("/away", redirect("file:///etc/passwd")),
    ]);
    let world = World::new();
    let [old, round, away] = ["/old", "/loop", "/away"].map(|path| server.url(path));
    let report = index(&world, &[&old, &round, &away]).succeeds().json();
    assert_eq!(world.names(), [old.as_str()], "named as it was given");
    assert_eq!(world.documents()[&old]["metadata"]["url"], server.url("/new/page.txt?x=1"));
    let skipped = skipped(&report);
    assert!(skipped[&round].contains("more than 5 redirects"), "{skipped:?}");
    assert!(skipped[&away].contains("only `http` and `https`"), "{skipped:?}");
    assert_eq!(server.asked().iter().filter(|path| *path == "/loop").count(), 6);
    assert_eq!(world.status()["roots"].as_array().unwrap().len(), 1, "what never worked is not tried again");
}

#[test]
fn addresses_of_this_machine_are_refused_unless_allowed() {
    let server = Server::new(vec![("/secret", page("", "For this machine only."))]);
    let world = World::new();
    let mapped = format!("http://[::ffff:127.0.0.1]:{}/secret", server.port);
    let named = format!("http://localhost:{}/secret", server.port);
    let urls = [server.url("/secret"), mapped, named, "http://169.254.169.254/latest/meta-data".to_owned()];
    let ran = Ran::of(world.command().args(["index", "--json"]).args(&urls)).ends_with(1);
    let skipped = skipped(&ran.json());
    for url in &urls {
        assert!(skipped[url].contains("private network"), "{skipped:?}");
    }
    assert!(server.asked.lock().unwrap().is_empty(), "nothing was connected to, not even for `robots.txt`");
    Ran::of(world.command().args(["index", "--strict", &urls[0]])).ends_with(1).says(&["1 skipped"]);
}

#[test]
fn slow_huge_missing_and_foreign_pages_are_one_line_each() {
    let drip: Handler = Box::new(|stream, _| {
        let _ = write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n");
        for _ in 0..100 {
            std::thread::sleep(Duration::from_millis(100));
            if stream.write_all(b".").is_err() {
                return;
            }
        }
    });
    let endless: Handler = Box::new(|stream, _| {
        let _ = write!(stream, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n");
        while stream.write_all(&[b'x'; 1 << 14]).is_ok() {}
    });
    let cut: Handler = Box::new(|stream, _| {
        let _ = write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nonly this");
    });
    let server = Server::new(vec![
        ("/drip", drip),
        ("/endless", endless),
        ("/cut", cut),
        ("/binary", page("Content-Type: text/html\r\n", [0u8, 159, 146, 150, 0, 1, 2, 3])),
        ("/empty", page("", "")),
        ("/fine", page("", "A fine page after all of them.")),
    ]);
    let world = World::new();
    world.write("okno.toml", "[fetch]\nmax_size = \"1MB\"\n");
    let urls = ["/drip", "/endless", "/cut", "/binary", "/gone", "/empty", "/fine"].map(|path| server.url(path));
    let urls: Vec<&str> = urls.iter().map(String::as_str).collect();
    let begun = Instant::now();
    let report = index(&world, &urls).succeeds().json();
    assert!(begun.elapsed() < Duration::from_secs(8), "{:?}", begun.elapsed());
    let skipped = skipped(&report);
    assert_eq!((skipped.len(), world.names()), (6, vec![urls[6].to_owned()]), "{skipped:?}");
    for (url, expected) in
        urls.iter().zip(["within 2 s", "larger than 1 MiB", "", "", "answered 404: there is no such page"])
    {
        assert!(skipped[*url].contains(expected) && !skipped[*url].contains('\n'), "{url}: {}", skipped[*url]);
    }
}

#[test]
fn a_page_is_kept_when_it_cannot_be_fetched_again() {
    let up = Arc::new(Mutex::new(true));
    let state = Arc::clone(&up);
    let sometimes: Handler = Box::new(move |stream, _| {
        let status = if *state.lock().unwrap() { "200 OK" } else { "503 Service Unavailable" };
        answer(stream, status, "", b"Sometimes here.");
    });
    let server = Server::new(vec![("/a.txt", sometimes)]);
    let world = World::new();
    index(&world, &[&server.url("/a.txt")]).succeeds();
    *up.lock().unwrap() = false;
    let report = index(&world, &[]).succeeds().json();
    assert!(skipped(&report)[&server.url("/a.txt")].contains("503"));
    assert_eq!(world.names().len(), 1);
}

#[test]
fn the_content_tells_its_charset_not_the_header() {
    let gbk = gbk("烧水泡茶，水温八十度最好。绿茶不要用开水，红茶要用沸水，这是老人的说法。");
    let server = Server::new(vec![
        ("/utf8", page("Content-Type: text/plain; charset=iso-8859-1\r\n", "烧水泡茶，水温八十度最好。")),
        ("/gbk", page("Content-Type: text/plain; charset=utf-8\r\n", gbk)),
    ]);
    let world = World::new();
    let [utf8, other] = ["/utf8", "/gbk"].map(|path| server.url(path));
    index(&world, &[&utf8, &other]).succeeds();
    assert!(world.text(&utf8).contains("水温八十度") && world.text(&other).contains("水温八十度"));
}

/// GBK without a dependency: the few characters of the test, by their codes.
fn gbk(text: &str) -> Vec<u8> {
    let table = [
        ('烧', 0xc9d5u16),
        ('水', 0xcbae),
        ('泡', 0xc5dd),
        ('茶', 0xb2e8),
        ('，', 0xa3ac),
        ('温', 0xcec2),
        ('八', 0xb0cb),
        ('十', 0xcaae),
        ('度', 0xb6c8),
        ('最', 0xd7ee),
        ('好', 0xbac3),
        ('。', 0xa1a3),
        ('绿', 0xc2cc),
        ('不', 0xb2bb),
        ('要', 0xd2aa),
        ('用', 0xd3c3),
        ('开', 0xbfaa),
        ('红', 0xbaec),
        ('沸', 0xb7d0),
        ('这', 0xd5e2),
        ('是', 0xcac7),
        ('老', 0xc0cf),
        ('人', 0xc8cb),
        ('的', 0xb5c4),
        ('说', 0xcbb5),
        ('法', 0xb7a8),
    ];
    let code = |c: char| table.iter().find(|(known, _)| *known == c).unwrap_or_else(|| panic!("no code for {c}")).1;
    text.chars().flat_map(|c| code(c).to_be_bytes()).collect()
}

#[test]
fn a_site_may_ask_not_to_be_fetched_and_is_given_time() {
    let rules = "User-agent: *\nDisallow: /\n\nUser-agent: okno\nDisallow: /private\n";
    let server = Server::new(vec![
        ("/robots.txt", page("", rules)),
        ("/private/a.txt", page("", "Not for guests.")),
        ("/open/a.txt", page("", "For everybody.")),
        ("/door", redirect("/private/a.txt")),
    ]);
    let world = World::new();
    let [private, open, door] = ["/private/a.txt", "/open/a.txt", "/door"].map(|path| server.url(path));
    let mut command = world.command();
    command.env("OKNO_FETCH_DELAY", "0.3").args(["index", "--json", "--allow-private", &private, &open, &door]);
    let begun = Instant::now();
    let skipped = skipped(&Ran::of(&mut command).succeeds().json());
    // robots.txt, the open page and the door: two pauses.
    assert!(begun.elapsed() >= Duration::from_millis(600), "{:?}", begun.elapsed());
    assert_eq!(skipped.len(), 2);
    assert!(skipped.values().all(|reason| reason.contains("`robots.txt`")), "{skipped:?}");
    assert_eq!(server.asked(), ["/open/a.txt", "/door"]);
    assert_eq!(world.names(), [open]);
}

#[test]
fn a_file_of_urls_that_holds_something_else_is_refused() {
    let world = World::new();
    world.write("urls.txt", "https://example.org/\nnotes/a.md\n");
    world.okno(["index", "--urls", "urls.txt"]).refuses().says(&["urls.txt:2", "`notes/a.md` is not a valid URL"]);
    world.okno(["index", "--urls", "none.txt"]).ends_with(1).says(&["cannot read `none.txt`"]);
}
