//! The production code of every package as modules, read with `syn`: what each uses and what it defines.

use std::collections::{BTreeMap, BTreeSet};

use syn::visit::{self, Visit};

use super::Source;

/// A module: a file, or a `mod name { … }` within one.
pub(super) struct Module {
    pub(super) file: String,
    parent: Option<usize>,
    children: BTreeMap<String, usize>,
    names: BTreeSet<String>,
    imports: Vec<Import>,
    /// Paths of two names and more that the code uses.
    paths: Vec<Vec<String>>,
    pub(super) items: Vec<syn::Item>,
}

struct Import {
    /// What it is called here; `None`: everything in it (`*`).
    name: Option<String>,
    path: Vec<String>,
    public: bool,
}

/// The modules of one package that are compiled outside tests; the first one is its root.
pub(super) struct Package {
    pub(super) modules: Vec<Module>,
}

/// Every package of these sources.
pub(super) fn packages(sources: &[Source]) -> Vec<Package> {
    let is_code = |path: &str| {
        (path.starts_with("src/") || path.starts_with("bench/src/"))
            && (path.ends_with(".rs") || path.ends_with("/Cargo.toml"))
    };
    let by_path: BTreeMap<&str, &str> = sources
        .iter()
        .filter(|source| is_code(&source.path))
        .map(|source| (source.path.as_str(), source.text.as_str()))
        .collect();
    let is_root = |path: &str| {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let manifest = format!("{folder}/Cargo.toml");
        matches!(name, "lib.rs" | "main.rs")
            || (name == "mod.rs" && by_path.contains_key(manifest.as_str()))
    };
    by_path
        .keys()
        .filter(|path| is_root(path) && !path.contains("/tests/"))
        .map(|path| Package::read(path, &by_path))
        .collect()
}

impl Package {
    fn read(root: &str, sources: &BTreeMap<&str, &str>) -> Package {
        let mut package = Package {
            modules: Vec::new(),
        };
        let folder = root.rsplit_once('/').map_or("", |(folder, _)| folder);
        package.read_file(root, folder, None, sources);
        package
    }

    fn read_file(
        &mut self,
        path: &str,
        folder: &str,
        parent: Option<usize>,
        sources: &BTreeMap<&str, &str>,
    ) -> usize {
        let parsed = syn::parse_file(sources[path])
            .unwrap_or_else(|error| panic!("{path} is not Rust: {error}"));
        let place = Place {
            file: path,
            folder,
            parent,
        };
        self.read_items(place, parsed.items, sources)
    }

    fn read_items(
        &mut self,
        place: Place,
        items: Vec<syn::Item>,
        sources: &BTreeMap<&str, &str>,
    ) -> usize {
        let at = self.modules.len();
        self.modules.push(Module {
            file: place.file.to_owned(),
            parent: place.parent,
            children: BTreeMap::new(),
            names: BTreeSet::new(),
            imports: Vec::new(),
            paths: Vec::new(),
            items: Vec::new(),
        });
        let mut own = Vec::new();
        for item in items {
            if is_test(attributes(&item)) {
                continue;
            }
            let syn::Item::Mod(module) = item else {
                own.push(item);
                continue;
            };
            let name = module.ident.to_string();
            let folder = format!("{}/{name}", place.folder);
            let child = match module.content {
                Some((_, items)) => {
                    let place = Place {
                        folder: &folder,
                        parent: Some(at),
                        ..place
                    };
                    self.read_items(place, items, sources)
                }
                None => {
                    let files = [format!("{folder}.rs"), format!("{folder}/mod.rs")];
                    let file = files
                        .iter()
                        .find(|file| sources.contains_key(file.as_str()));
                    let file = file.unwrap_or_else(|| panic!("{}: no {name}", place.file));
                    self.read_file(file, &folder, Some(at), sources)
                }
            };
            self.modules[at].children.insert(name, child);
        }
        let module = &mut self.modules[at];
        for item in &own {
            match item {
                syn::Item::Use(import) => {
                    let public = !matches!(import.vis, syn::Visibility::Inherited);
                    imports(&import.tree, &mut Vec::new(), public, &mut module.imports);
                }
                other => {
                    module.names.extend(name_of(other));
                    Paths(&mut module.paths).visit_item(other);
                }
            }
        }
        module.items = own;
        at
    }

    /// Whether a module is another one, or lies within it.
    pub(super) fn is_within(&self, at: usize, other: usize) -> bool {
        let parents = |at: &usize| self.modules[*at].parent;
        std::iter::successors(Some(at), parents).any(|at| at == other)
    }

    /// The module that holds what this path leads to, if it leads into the package.
    pub(super) fn resolve(&self, from: usize, path: &[String]) -> Option<usize> {
        self.follow(from, path, 0)
    }

    fn follow(&self, from: usize, path: &[String], depth: usize) -> Option<usize> {
        if depth > 16 {
            return None;
        }
        let mut at = match path.first()?.as_str() {
            "crate" => 0,
            "self" => from,
            "super" => self.modules[from].parent?,
            name if self.knows(from, name, 0) => return self.enter(from, path, depth),
            _ => return None,
        };
        let mut rest = &path[1..];
        while rest.first().is_some_and(|name| name == "super") {
            at = self.modules[at].parent?;
            rest = &rest[1..];
        }
        self.enter(at, rest, depth)
    }

    /// The same from within a module, through what it re-exports.
    fn enter(&self, at: usize, rest: &[String], depth: usize) -> Option<usize> {
        let module = &self.modules[at];
        let Some((name, after)) = rest.split_first() else {
            return Some(at);
        };
        if let Some(child) = module.children.get(name) {
            return self.enter(*child, after, depth);
        }
        if module.names.contains(name) {
            return Some(at);
        }
        let named = |import: &&Import| import.name.as_ref() == Some(name);
        if let Some(import) = module.imports.iter().find(named) {
            let whole = [&import.path, after].concat();
            return self.follow_import(at, &whole, depth + 1);
        }
        for import in module.imports.iter().filter(|it| it.name.is_none()) {
            let Some(inner) = self.follow_import(at, &import.path, depth + 1) else {
                continue;
            };
            if inner != at && self.knows(inner, name, depth + 1) {
                return self.enter(inner, rest, depth + 1);
            }
        }
        Some(at)
    }

    /// An import names a child or something outside the package; never what the module imports by itself.
    fn follow_import(&self, at: usize, path: &[String], depth: usize) -> Option<usize> {
        let first = path.first()?;
        let inside = matches!(first.as_str(), "crate" | "self" | "super")
            || self.modules[at].children.contains_key(first)
            || self.modules[at].names.contains(first);
        if !inside {
            return None;
        }
        self.follow(at, path, depth)
    }

    fn knows(&self, at: usize, name: &str, depth: usize) -> bool {
        let module = &self.modules[at];
        module.children.contains_key(name)
            || module.names.contains(name)
            || module.imports.iter().any(|import| match &import.name {
                Some(own) => own == name,
                None => {
                    depth < 8
                        && self
                            .follow_import(at, &import.path, depth + 1)
                            .is_some_and(|inner| inner != at && self.knows(inner, name, depth + 1))
                }
            })
    }

    /// Which files use which others. A list (`mod.rs`, `lib.rs`) that re-exports uses nothing by that.
    pub(super) fn uses(&self) -> BTreeMap<&str, BTreeSet<&str>> {
        let mut uses = BTreeMap::new();
        for (at, module) in self.modules.iter().enumerate() {
            let is_list = ["/mod.rs", "/lib.rs", "/main.rs"]
                .iter()
                .any(|name| module.file.ends_with(name));
            let imports = module
                .imports
                .iter()
                .filter(|import| !(is_list && import.public))
                .filter_map(|import| self.follow_import(at, &import.path, 0));
            let paths = module
                .paths
                .iter()
                .filter_map(|path| self.resolve(at, path));
            let used: &mut BTreeSet<&str> = uses.entry(module.file.as_str()).or_default();
            used.extend(
                imports
                    .chain(paths)
                    .map(|to| self.modules[to].file.as_str()),
            );
            used.remove(module.file.as_str());
        }
        uses
    }
}

#[derive(Clone, Copy)]
struct Place<'a> {
    file: &'a str,
    /// Where its children's files are.
    folder: &'a str,
    parent: Option<usize>,
}

fn imports(tree: &syn::UseTree, before: &mut Vec<String>, public: bool, found: &mut Vec<Import>) {
    let mut import = |name: Option<String>, last: Option<String>| {
        let path = before.iter().cloned().chain(last).collect();
        found.push(Import { name, path, public });
    };
    match tree {
        syn::UseTree::Path(path) => {
            before.push(path.ident.to_string());
            imports(&path.tree, before, public, found);
            before.pop();
        }
        syn::UseTree::Name(name) if name.ident == "self" => import(before.last().cloned(), None),
        syn::UseTree::Name(name) => {
            let name = name.ident.to_string();
            import(Some(name.clone()), Some(name));
        }
        syn::UseTree::Rename(rename) => {
            let last = Some(rename.ident.to_string()).filter(|name| name != "self");
            import(Some(rename.rename.to_string()), last);
        }
        syn::UseTree::Glob(_) => import(None, None),
        syn::UseTree::Group(group) => {
            for tree in &group.items {
                imports(tree, before, public, found);
            }
        }
    }
}

/// Collects paths, those in the arguments of macros too.
struct Paths<'a>(&'a mut Vec<Vec<String>>);

impl<'ast> Visit<'ast> for Paths<'_> {
    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names: Vec<String> = path
            .segments
            .iter()
            .map(|segment| segment.ident.to_string())
            .collect();
        if path.leading_colon.is_none() && names.len() > 1 {
            self.0.push(names);
        }
        visit::visit_path(self, path);
    }

    fn visit_item_use(&mut self, import: &'ast syn::ItemUse) {
        let mut found = Vec::new();
        imports(&import.tree, &mut Vec::new(), false, &mut found);
        self.0.extend(found.into_iter().map(|import| import.path));
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        in_tokens(call.tokens.clone(), self.0);
        visit::visit_macro(self, call);
    }
}

fn in_tokens(tokens: proc_macro2::TokenStream, found: &mut Vec<Vec<String>>) {
    let mut names: Vec<String> = Vec::new();
    let mut colons = 0;
    let mut close = |names: &mut Vec<String>| {
        if names.len() > 1 {
            found.push(std::mem::take(names));
        }
        names.clear();
    };
    let mut inner = Vec::new();
    for token in tokens {
        match token {
            proc_macro2::TokenTree::Ident(name) => {
                if colons != 2 {
                    close(&mut names);
                }
                names.push(name.to_string());
                colons = 0;
            }
            proc_macro2::TokenTree::Punct(punct) if punct.as_char() == ':' => colons += 1,
            other => {
                close(&mut names);
                colons = 0;
                if let proc_macro2::TokenTree::Group(group) = other {
                    inner.push(group.stream());
                }
            }
        }
    }
    close(&mut names);
    for tokens in inner {
        in_tokens(tokens, found);
    }
}

fn name_of(item: &syn::Item) -> Option<String> {
    let name = match item {
        syn::Item::Const(item) => &item.ident,
        syn::Item::Enum(item) => &item.ident,
        syn::Item::Fn(item) => &item.sig.ident,
        syn::Item::Macro(item) => item.ident.as_ref()?,
        syn::Item::Static(item) => &item.ident,
        syn::Item::Struct(item) => &item.ident,
        syn::Item::Trait(item) => &item.ident,
        syn::Item::Type(item) => &item.ident,
        syn::Item::Union(item) => &item.ident,
        _ => return None,
    };
    Some(name.to_string())
}

fn attributes(item: &syn::Item) -> &[syn::Attribute] {
    match item {
        syn::Item::Const(item) => &item.attrs,
        syn::Item::Enum(item) => &item.attrs,
        syn::Item::Fn(item) => &item.attrs,
        syn::Item::Impl(item) => &item.attrs,
        syn::Item::Macro(item) => &item.attrs,
        syn::Item::Mod(item) => &item.attrs,
        syn::Item::Static(item) => &item.attrs,
        syn::Item::Struct(item) => &item.attrs,
        syn::Item::Trait(item) => &item.attrs,
        syn::Item::Type(item) => &item.attrs,
        syn::Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// Whether these attributes say that something is compiled for tests only.
pub(super) fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let by_cfg = || {
            attribute.path().is_ident("cfg")
                && attribute
                    .parse_args::<syn::Path>()
                    .is_ok_and(|condition| condition.is_ident("test"))
        };
        attribute.path().is_ident("test") || by_cfg()
    })
}
