//! Tables of reports, as lines on a page.

use super::*;

/// A band of words with their left and right borders.
fn band(y: f64, cells: &[(f64, f64, &str)]) -> Band {
    cells.iter().map(|(left, right, text)| Fragment::of(text, *left, *right, y)).collect()
}

fn report() -> Vec<Band> {
    vec![
        band(700.0, &[(330.0, 440.0, "Year Ended December 31,")]),
        band(688.0, &[(320.0, 350.0, "2023"), (420.0, 450.0, "2022"), (500.0, 530.0, "Change")]),
        band(676.0, &[(50.0, 90.0, "Revenue:")]),
        band(
            664.0,
            &[
                (50.0, 150.0, "Products and"),
                (300.0, 305.0, "$"),
                (330.0, 352.0, "1,200"),
                (400.0, 405.0, "$"),
                (432.0, 452.0, "900"),
                (510.0, 520.0, "33"),
                (522.0, 530.0, "%"),
            ],
        ),
        band(652.0, &[(55.0, 120.0, "related services")]),
        band(640.0, &[(50.0, 290.0, "Other")]),
        band(628.0, &[(50.0, 100.0, "Current liabilities")]),
        band(
            616.0,
            &[(50.0, 120.0, "Leases ........."), (335.0, 352.0, "(10"), (353.0, 356.0, ")"), (446.0, 452.0, "—")],
        ),
        band(
            604.0,
            &[
                (50.0, 80.0, "Total"),
                (300.0, 305.0, "$"),
                (330.0, 352.0, "1,190"),
                (400.0, 405.0, "$"),
                (432.0, 452.0, "900"),
            ],
        ),
    ]
}

#[test]
fn label_year_and_value_are_one_row() {
    let (table, count) = first(&report(), &mut patience(100)).unwrap();
    assert_eq!(count, 9);
    let header = ["", "Year Ended December 31, 2023", "Year Ended December 31, 2022", "Change"];
    assert_eq!(table.header.unwrap(), header);
    assert_eq!(
        table.rows,
        [
            vec!["Revenue:", "", "", ""],
            vec!["Products and related services", "$1,200", "$900", "33%"],
            vec!["Other", "", "", ""],
            vec!["Current liabilities", "", "", ""],
            vec!["Leases", "(10)", "—", ""],
            vec!["Total", "$1,190", "$900", ""],
        ]
    );
}

#[test]
fn figures_that_stand_lower_than_their_label_stay_with_it() {
    let mut bands = report();
    bands.insert(8, band(610.0, &[(50.0, 120.0, "Repayments")]));
    bands.insert(9, band(606.0, &[(442.0, 452.0, "24")]));
    let (table, count) = first(&bands, &mut patience(100)).unwrap();
    assert_eq!((count, table.rows[5].join("|").as_str()), (11, "Repayments||24|"));
}

#[test]
fn patience_ends() {
    let mut left = 3;
    let prose = [
        band(700.0, &[(50.0, 90.0, "one"), (60.0, 99.0, "two")]),
        band(688.0, &[(50.0, 90.0, "a"), (60.0, 99.0, "b")]),
    ];
    assert_eq!(first(&prose, &mut left), None);
    assert_eq!((left, first(&report(), &mut left)), (0, None));
}

#[test]
fn headings_that_overlap_are_joined() {
    let mut heading = "(Unaudited) Three Months".to_owned();
    add_once(&mut heading, "Three Months 2021");
    add_once(&mut heading, "2021");
    assert_eq!(heading, "(Unaudited) Three Months 2021");
}

#[test]
fn figures_are_told_from_words_and_years() {
    for yes in ["46,298", "(34)", "$ 12", "—", "1.5%", "-3", "12 345"] {
        assert!(is_figure(yes), "{yes}");
    }
    for no in ["2023", "$", "Total", "FY 2023", "", "10-K", "%"] {
        assert!(!is_figure(no), "{no}");
    }
}

#[test]
fn a_table_goes_on_only_in_one_of_the_same_columns() {
    let (table, _) = first(&report(), &mut patience(100)).unwrap();
    let next = PdfTable { header: None, ..table.clone() };
    assert!(table.goes_on_in(&next) && table.goes_on_in(&table) && !next.goes_on_in(&table));
    let narrow = PdfTable { header: None, rows: vec![vec![String::new(); 2]] };
    assert!(!table.goes_on_in(&narrow));
}
