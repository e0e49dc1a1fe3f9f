//! Limits per key: requests beyond a rate, and uploads beyond a quota, get 429 with the seconds to wait.

mod support;

use serde_json::Value;
use support::Server;

fn code(body: &str) -> String {
    let body: Value = serde_json::from_str(body).unwrap_or_default();
    body["error"]["code"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn requests_beyond_the_rate_wait() {
    let server = Server::with(|settings| settings.rate = "3/hour".parse().ok());
    for _ in 0..3 {
        assert_eq!(server.get("/api/v1/status").0, 200);
    }
    let (status, head, body) = server.request("GET", "/api/v1/status", &[], b"");
    assert_eq!((status, code(&body)), (429, "rate_limited".to_owned()), "{body}");
    let wait: u64 = head.split("retry-after: ").nth(1).unwrap().split("\r\n").next().unwrap().parse().unwrap();
    assert!((1100..=1200).contains(&wait), "{wait}: a third of an hour");
    let (_, _, body) = server.request("GET", "/api/v1/status", &[("Accept-Language", "zh")], b"");
    assert!(body.contains("请求过多"), "{body}");
    assert_eq!(server.get("/healthz").0, 200, "health checks are not counted");
}

#[test]
fn uploads_beyond_the_quota_wait() {
    let server = Server::with(|settings| settings.upload_quota = "100/day".parse().ok());
    let text = "Coffee is brewed at 93 degrees, they say here. ";
    assert_eq!(server.upload(&[("coffee.md", text)]).0, 202);
    let (status, body) = server.upload(&[("more.md", &text.repeat(2))]);
    assert_eq!((status, code(&body.to_string())), (429, "upload_quota".to_owned()), "{body}");
    assert!(!server.path("okno-uploads/more.md").exists());
    assert_eq!(server.get("/api/v1/status").0, 200, "reading goes on");
}
