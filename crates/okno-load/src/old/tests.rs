//! Whole files of old formats.

use super::super::tests::{Collected, check};
use super::*;
use okno_document::{Date, Value};

const DOC: &[u8] = include_bytes!("../../tests/files/handbook.doc");
const PPT: &[u8] = include_bytes!("../../tests/files/roadmap.ppt");
const MSG: &[u8] = include_bytes!("../../tests/files/plans.msg");

fn read(name: &str, bytes: &[u8]) -> Collected {
    let got = check(&OldOffice::default(), name, bytes);
    assert_eq!(got.skipped, []);
    got
}

#[test]
fn a_word_document() {
    let got = read("handbook.wps", DOC).documents.remove(0);
    assert_eq!(
        got.text,
        "# Staff handbook\n\nTea is served at four. The list says which.[^1]\n\n## 工作时间\n\n每天八小时。\n\n- green\n- black\n\
         1. boil\n2. pour\n\n\
         | tea | heat |\n| --- | --- |\n| green | 75 |\n\nThe end.\n\n[^1]: A note.\n"
    );
    assert_eq!((got.title.as_str(), got.metadata.get("author")), ("Handbook", Some(&Value::Text("Ann Lee".into()))));
}

#[test]
fn a_presentation() {
    let got = read("roadmap.dps", PPT).documents.remove(0);
    assert_eq!(got.text, "# Roadmap 路线图\n\n- first\n  - inner\n\nA box of words\n\nSay hello.\n");
    assert_eq!(got.pages.len(), 1);
}

#[test]
fn a_mail_of_outlook_with_attachments() {
    let got = read("d/plans.msg", MSG).documents;
    let names: Vec<(Option<&str>, &str)> = got.iter().map(|one| (one.id.as_deref(), one.title.as_str())).collect();
    assert_eq!(
        names,
        [(None, "Plans 计划"), (Some("d/plans.msg/plan.md"), "The plan"), (Some("d/plans.msg/Before"), "Earlier")]
    );
    assert_eq!(got[0].text, "See the plan.\r\n\r\n见附件。");
    let about = |key: &str| got[0].metadata.get(key).cloned();
    assert_eq!(about("author"), Some(Value::Text("Ann Lee <ann@example.org>".into())));
    assert_eq!(about("created"), Some(Value::Date(Date { year: 2023, month: 7, day: 28 })));
    assert_eq!(about("to"), Some(Value::List(vec![Value::Text("Bob".into()), Value::Text("Zoe".into())])));
}

#[test]
fn files_that_cannot_be_read_say_why() {
    let reason = |bytes: &[u8]| check(&OldOffice::default(), "a.doc", bytes).skipped.remove(0).1;
    let mut locked = DOC.to_vec();
    let at = memchr::memmem::find(&locked, &[0xec, 0xa5, 0xc1, 0]).unwrap();
    locked[at + 11] |= 1;
    assert_eq!(reason(&locked), SkipReason::Encrypted);
    let other = super::super::compound::written(&[("Something", b"else")]);
    assert_eq!(reason(&other), SkipReason::unsupported(FileKind::OldOffice));
    assert!(matches!(reason(&DOC[..600]), SkipReason::Unsupported { .. } | SkipReason::Damaged { .. }));
}
