//! Which referee a path names, and whether the caller may name it.

use crate::config::{PathReferee, Secret};
use crate::secrets;
use ipnet::IpNet;
use std::net::IpAddr;

/// The referee of this process: a caller that gives the nonce in its path is it.
#[derive(Clone, Debug)]
pub struct OwnReferee {
    /// Its name: part of its sessions' key.
    pub name: String,
    /// What it gives in place of a name.
    pub nonce: Secret,
}

/// All that a path may name.
#[derive(Clone, Debug, Default)]
pub(super) struct Referees {
    own: Option<OwnReferee>,
    named: Vec<PathReferee>,
}

impl Referees {
    pub(super) fn new(own: Option<OwnReferee>, named: Vec<PathReferee>) -> Self {
        Self { own, named }
    }

    /// The referee that `segment` of a path names, if the caller may name it. `caller`: its address; `None`:
    /// unknown.
    pub(super) fn named(&self, segment: &str, caller: Option<IpAddr>) -> Option<&str> {
        let ours = |own: &&OwnReferee| is(&own.nonce, segment);
        if let Some(own) = self.own.as_ref().filter(ours) {
            return Some(&own.name);
        }
        let (name, secret) = match segment.split_once(':') {
            Some((name, secret)) => (name, Some(secret)),
            None => (segment, None),
        };
        let admitted = |known: &&PathReferee| known.name == name && admits(known, secret, caller);
        self.named.iter().find(admitted).map(|known| &*known.name)
    }
}

/// Whether a caller that gives this after the name is that referee.
fn admits(known: &PathReferee, given: Option<&str>, caller: Option<IpAddr>) -> bool {
    let has_secret = known.secret.reveal().is_some();
    let said = given.map_or(!has_secret, |given| is(&known.secret, given));
    let within = |net: &IpNet| caller.is_some_and(|caller| net.contains(&caller.to_canonical()));
    match known.addresses.as_slice() {
        [] => has_secret && said,
        addresses => said && addresses.iter().any(within),
    }
}

fn is(secret: &Secret, given: &str) -> bool {
    secret
        .reveal()
        .is_some_and(|secret| secrets::same(given, secret))
}

#[cfg(test)]
mod tests {
    use super::{OwnReferee, Referees};
    use crate::config::{PathReferee, Secret};

    #[test]
    fn a_name_counts_only_from_where_and_with_what_it_is_configured() {
        let named = |name: &str, secret: &str, addresses: &[&str]| PathReferee {
            name: name.to_owned(),
            secret: Secret::new(secret.to_owned()),
            secret_file: None,
            addresses: addresses.iter().map(|net| net.parse().unwrap()).collect(),
        };
        let own = OwnReferee {
            name: "drover".to_owned(),
            nonce: Secret::new("0123".to_owned()),
        };
        let referees = Referees::new(
            Some(own),
            vec![
                named("league", "", &["10.1.0.0/16", "2001:db8::/32"]),
                named("cup", "s3cret", &[]),
                named("both", "s3cret", &["10.1.0.0/16"]),
                named("nobody", "", &[]),
            ],
        );
        let check = |segment: &str, caller: &str, name: Option<&str>| {
            let found = referees.named(segment, caller.parse().ok());
            assert_eq!(found, name, "{segment} from {caller}");
        };
        check("league", "10.1.2.3", Some("league"));
        check("league", "::ffff:10.1.2.3", Some("league"));
        check("league", "2001:db8::7", Some("league"));
        check("league", "10.2.2.3", None);
        check("league:", "10.1.2.3", None);
        check("league:s3cret", "10.1.2.3", None);
        check("league", "unknown", None);
        check("both:s3cret", "unknown", None);
        check("cup:s3cret", "unknown", Some("cup"));
        check("0123", "unknown", Some("drover"));
        check("cup:s3cret", "192.0.2.1", Some("cup"));
        for wrong in [
            "cup",
            "cup:",
            "cup:s3cre",
            "cup:s3crets",
            "cup:***",
            "s3cret",
            ":s3cret",
        ] {
            check(wrong, "192.0.2.1", None);
        }
        check("both:s3cret", "10.1.2.3", Some("both"));
        check("both:s3cret", "10.2.2.3", None);
        check("both", "10.1.2.3", None);
        check("nobody", "10.1.2.3", None);
        check("nobody:", "10.1.2.3", None);
        check("0123", "192.0.2.1", Some("drover"));
        for wrong in ["drover", "drover:0123", "012", "***", "~", "", "10.1.2.3"] {
            check(wrong, "10.1.2.3", None);
        }
    }
}
