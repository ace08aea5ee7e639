//! Source locations.

use crate::llvm::SourcePlace;
use crate::program::{LocId, Location};
use std::collections::HashMap;
use std::path::Path;

/// Collects the files and locations of a program, each once.
pub(super) struct Locations {
    files: Vec<String>,
    file_ids: HashMap<(String, String), u32>,
    locations: Vec<Location>,
    ids: HashMap<Location, LocId>,
}

impl Locations {
    pub fn new() -> Self {
        let unknown = Location { file: 0, line: 0, column: 0 };
        Locations {
            files: vec!["<unknown>".into()],
            file_ids: HashMap::new(),
            locations: vec![unknown],
            ids: HashMap::from([(unknown, LocId(0))]),
        }
    }

    pub fn intern(&mut self, place: &SourcePlace) -> LocId {
        let location = Location { file: self.file(place), line: place.line, column: place.column };
        *self.ids.entry(location).or_insert_with(|| {
            self.locations.push(location);
            LocId(self.locations.len() as u32 - 1)
        })
    }

    /// Files are named by absolute paths, which mean the same wherever the program is loaded from. Those of the models
    /// have no directory.
    fn file(&mut self, place: &SourcePlace) -> u32 {
        let key = (place.directory.clone(), place.file.clone());
        if let Some(id) = self.file_ids.get(&key) {
            return *id;
        }
        let path = match place.directory.as_str() {
            "" | "." => Path::new(&place.file).to_path_buf(),
            directory => Path::new(directory).join(&place.file),
        };
        let id = self.files.len() as u32;
        self.files.push(path.to_string_lossy().into_owned());
        self.file_ids.insert(key, id);
        id
    }

    pub fn finish(self) -> (Vec<String>, Vec<Location>) {
        (self.files, self.locations)
    }
}
