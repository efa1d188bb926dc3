//! A headless Chromium, driven over WebDriver: JSON over HTTP to Debian's chromedriver.

use crate::app::PATIENCE;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// WebDriver's name of the key in its private range.
pub const TAB: &str = "\u{e004}";
pub const ENTER: &str = "\u{e007}";
pub const SPACE: &str = " ";
pub const END: &str = "\u{e010}";
pub const HOME: &str = "\u{e011}";
pub const LEFT: &str = "\u{e012}";
pub const DOWN: &str = "\u{e015}";
pub const RIGHT: &str = "\u{e014}";

/// Each look at a page takes the browser some milliseconds.
const BETWEEN_LOOKS: Duration = Duration::from_millis(30);
/// What a page is that is waited for in vain: where, whether it is looked at, what it says of being live, and the last
/// things that it fetched with their times in milliseconds.
const STATE: &str = "return JSON.stringify([location.href, document.visibilityState, document.readyState, \
    document.querySelector('#live')?.textContent, performance.now(), performance.getEntriesByType('resource').slice(-6) \
    .map((one) => [one.name, one.startTime, one.duration])])";

/// One browser at a time: they are large.
static ONE: Mutex<()> = Mutex::new(());

pub struct Browser {
    child: Child,
    address: SocketAddr,
    session: String,
    _only: MutexGuard<'static, ()>,
}

impl Browser {
    /// Starts one, or says loudly that this machine has none.
    pub fn start() -> Option<Self> {
        let only = ONE.lock().unwrap_or_else(PoisonError::into_inner);
        let started = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        let Ok(mut child) = started else {
            skipped();
            return None;
        };
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let port = lines.map_while(Result::ok).find_map(|line| {
            let (_, port) = line.split_once("started successfully on port ")?;
            port.trim_end_matches('.').parse::<u16>().ok()
        });
        let address = SocketAddr::from(([127, 0, 0, 1], port.unwrap()));
        let arguments = [
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--disable-background-networking",
            "--no-first-run",
        ];
        let wanted = json!({ "capabilities": { "alwaysMatch": {
            "browserName": "chrome",
            "goog:chromeOptions": { "args": arguments },
            "goog:loggingPrefs": { "browser": "ALL", "performance": "ALL" },
        } } });
        let mut browser = Self {
            child,
            address,
            session: String::new(),
            _only: only,
        };
        let session = browser.ask("POST", "/session", &wanted);
        browser.session = format!("/session/{}", session["sessionId"].as_str().unwrap());
        Some(browser)
    }

    fn ask(&self, method: &str, path: &str, body: &Value) -> Value {
        let body = if body.is_null() {
            String::new()
        } else {
            body.to_string()
        };
        let answer = exchange(self.address, method, path, &body).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.1 200"), "{method} {path}: {body}");
        serde_json::from_str::<Value>(body).unwrap()["value"].clone()
    }

    fn post(&self, what: &str, body: &Value) -> Value {
        self.ask("POST", &format!("{}/{what}", self.session), body)
    }

    /// Opens a page and waits until it is there, and receives keys.
    pub fn open(&self, url: &str) {
        self.post("url", &json!({ "url": url }));
        self.until("document.body && document.hasFocus()");
    }

    /// Runs a function's body in the page; what it returns.
    pub fn run(&self, script: &str) -> Value {
        self.post("execute/sync", &json!({ "script": script, "args": [] }))
    }

    /// The value that a script gives to its last argument, a function.
    pub fn promised(&self, script: &str) -> Value {
        self.post("execute/async", &json!({ "script": script, "args": [] }))
    }

    /// A text that an expression gives.
    pub fn text(&self, expression: &str) -> String {
        let value = self.run(&format!("return String({expression})"));
        value.as_str().unwrap().to_owned()
    }

    /// Waits until an expression is true.
    pub fn until(&self, expression: &str) {
        // On a page that is still being read, what is looked at next may not be there yet.
        let ready = format!("return document.readyState === 'complete' && Boolean({expression})");
        let begun = Instant::now();
        while self.run(&ready) != true {
            if begun.elapsed() > PATIENCE {
                panic!("{expression} never was so: {}", self.run(STATE));
            }
            std::thread::sleep(BETWEEN_LOOKS);
        }
    }

    /// The first element that a selector finds, as WebDriver names it.
    fn element(&self, selector: &str) -> Value {
        let wanted = json!({ "using": "css selector", "value": selector });
        self.post("element", &wanted)
    }

    /// Clicks on the first element that a selector finds, as a pointer does.
    pub fn click(&self, selector: &str) {
        let found = self.element(selector);
        let id = found.as_object().and_then(|found| found.values().next());
        let id = id.and_then(Value::as_str).unwrap();
        self.post(&format!("element/{id}/click"), &json!({}));
    }

    /// Goes into a frame, until another page is opened.
    pub fn enter(&self, frame: &str) {
        self.post("frame", &json!({ "id": self.element(frame) }));
    }

    /// Presses keys, one after the other.
    pub fn press(&self, keys: &str) {
        let strokes = keys.chars().flat_map(|key| {
            ["keyDown", "keyUp"].map(|kind| json!({ "type": kind, "value": key.to_string() }))
        });
        let actions: Vec<Value> = strokes.collect();
        let keyboard = json!({ "type": "key", "id": "keyboard", "actions": actions });
        self.post("actions", &json!({ "actions": [keyboard] }));
    }

    /// A window of this width, for a reader who likes it so: `light` or `dark`.
    pub fn look(&self, width: u32, scheme: &str) {
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.devtools(
            "Emulation.setEmulatedMedia",
            &json!({ "features": features }),
        );
        self.devtools("Emulation.setScrollbarsHidden", &json!({ "hidden": true }));
        let size =
            json!({ "width": width, "height": 800, "deviceScaleFactor": 1, "mobile": false });
        self.devtools("Emulation.setDeviceMetricsOverride", &size);
    }

    /// Has every page that is opened from now on run a script first.
    pub fn load_first(&self, script: &str) {
        self.devtools(
            "Page.addScriptToEvaluateOnNewDocument",
            &json!({ "source": script }),
        );
    }

    fn devtools(&self, command: &str, parameters: &Value) -> Value {
        let asked = json!({ "cmd": command, "params": parameters });
        self.post("goog/cdp/execute", &asked)
    }

    /// A picture (PNG) of all of an element, also of what the window does not show.
    pub fn picture(&self, selector: &str) -> Vec<u8> {
        let bounds = format!(
            "const box = document.querySelector('{selector}').getBoundingClientRect(); return \
             {{x: box.x + scrollX, y: box.y + scrollY, width: box.width, height: box.height, scale: 1}}"
        );
        let shape = json!({ "clip": self.run(&bounds), "captureBeyondViewport": true });
        let taken = self.devtools("Page.captureScreenshot", &shape);
        base64(taken["data"].as_str().unwrap())
    }

    /// What went wrong since this was last asked: errors on the console, and requests to another place than `url`.
    pub fn complaints(&self, url: &str) -> Vec<String> {
        let logged = |kind: &str| {
            self.post("se/log", &json!({ "type": kind }))
                .as_array()
                .unwrap()
                .clone()
        };
        let console = logged("browser")
            .into_iter()
            .filter(|line| line["level"] == "SEVERE");
        let console = console.map(|line| line["message"].to_string());
        let sent = logged("performance").into_iter().filter_map(|line| {
            let message: Value = serde_json::from_str(line["message"].as_str()?).ok()?;
            let sent = &message["message"];
            let asked = sent["method"] == "Network.requestWillBeSent";
            asked.then(|| sent["params"]["request"]["url"].as_str().map(str::to_owned))?
        });
        let foreign = sent.filter(|asked| !asked.starts_with(url) && !asked.starts_with("data:"));
        console.chain(foreign).collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It may have ended by itself: then there is nothing to end.
        if !self.session.is_empty() {
            let _ = exchange(self.address, "DELETE", &self.session, "");
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Bytes that were written as base64.
fn base64(text: &str) -> Vec<u8> {
    const DIGITS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digits = text.chars().filter_map(|digit| DIGITS.find(digit));
    let (mut bytes, mut held, mut bits) = (Vec::new(), 0, 0);
    for digit in digits {
        (held, bits) = ((held << 6 | digit) & 0xffff, bits + 6);
        if bits >= 8 {
            bits -= 8;
            bytes.push((held >> bits) as u8);
        }
    }
    bytes
}

fn skipped() {
    let what = "the pages in a browser: chromedriver is missing (Debian: apt-get install chromium chromium-driver)";
    println!("*** NOT TESTED: {what} ***");
    let Some(notes) = std::env::var_os("SKIPPED") else {
        return;
    };
    let mut notes = std::fs::OpenOptions::new()
        .append(true)
        .open(notes)
        .unwrap();
    writeln!(notes, "  {what}").unwrap();
}

/// One exchange with a server that speaks HTTP/1.1 only and leaves the connection open.
fn exchange(server: SocketAddr, method: &str, path: &str, body: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(server)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let length = body.len();
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nHost: {server}\r\nContent-Type: application/json\r\n\
         Content-Length: {length}\r\n\r\n{body}"
    )?;
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head)? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
    }
    let mut headers = head.lines().filter_map(|line| line.split_once(':'));
    let length = headers.find(|(name, _)| name.eq_ignore_ascii_case("content-length"));
    let length = length.and_then(|(_, length)| length.trim().parse().ok());
    let mut body = vec![0; length.unwrap_or_default()];
    reader.read_exact(&mut body)?;
    Ok(head + &String::from_utf8_lossy(&body))
}
