//! The sites of an instrumented program: what the numbers mean by which the runtime speaks of places.

use ordain_model::failure::Place;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// What `ordain_ir` calls the file of what has no place.
const UNKNOWN_FILE: &str = "<unknown>";

/// A place in the source, as debug information gives it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Site {
    pub directory: String,
    pub file: String,
    /// 0 if unknown.
    pub line: u32,
}

/// Sites by number. Every point has one, and every access that is checked.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct SiteTable {
    sites: Vec<Site>,
}

impl SiteTable {
    pub(crate) fn add(&mut self, site: Site) -> u32 {
        self.sites.push(site);
        self.sites.len() as u32 - 1
    }

    /// The place with this number; `None` for what has no place in the source, such as the end of main.
    pub fn place(&self, id: u32) -> Option<Place> {
        let site = self.sites.get(id as usize)?;
        let file = match (site.directory.as_str(), site.file.as_str()) {
            (_, "") => UNKNOWN_FILE.to_owned(),
            ("" | ".", file) => file.to_owned(),
            (directory, file) => Path::new(directory).join(file).to_string_lossy().into_owned(),
        };
        Some(Place { file, line: site.line })
    }
}
