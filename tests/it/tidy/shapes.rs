//! Counts what code looks like: circles of files, methods far from their type, tuples as parameters, errors that are
//! text, long functions.

use std::collections::{BTreeMap, BTreeSet};

use syn::visit::{self, Visit};

use super::ceilings::Finding;
use super::code::{self, Package};

/// A function is long from here on: the lines from its `fn` to its closing brace.
pub(super) const FUNCTION_LINES_MAX: usize = 60;

/// **circles**: the largest sets of a package's files of which each uses, directly or through others, each other one.
/// A file uses another if one of its paths (of imports, code or arguments of macros) leads to an item or a module
/// there; a path through a re-export leads to where the item is, and `mod` lines and re-exports of lists (`mod.rs`,
/// `lib.rs`) use nothing. Methods are not followed: those that stand elsewhere are found by the rule **impls**.
/// **files in circles**: their files.
pub(super) fn circles(package: &Package) -> Vec<Finding> {
    let uses = package.uses();
    let reached: BTreeMap<&str, BTreeSet<&str>> = uses
        .keys()
        .map(|file| (*file, reach(file, &uses)))
        .collect();
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    for file in uses.keys() {
        let circle: Vec<&str> = reached[file]
            .iter()
            .filter(|other| reached[*other].contains(file))
            .copied()
            .collect();
        if circle.len() < 2 || !seen.insert(*file) {
            continue;
        }
        seen.extend(&circle);
        found.push(Finding::new("circles", file, circle.join(" ")));
        for file in circle {
            found.push(Finding::new("files in circles", file, file.to_owned()));
        }
    }
    found
}

fn reach<'a>(from: &'a str, uses: &BTreeMap<&'a str, BTreeSet<&'a str>>) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut next = vec![from];
    while let Some(file) = next.pop() {
        for used in uses.get(file).into_iter().flatten() {
            if reached.insert(*used) {
                next.push(used);
            }
        }
    }
    reached
}

/// **impls**: `impl Type` blocks, not of a trait, outside the module that defines the type and the modules within it.
pub(super) fn impls(package: &Package) -> Vec<Finding> {
    let mut found = Vec::new();
    for (at, module) in package.modules.iter().enumerate() {
        for item in &module.items {
            let syn::Item::Impl(block) = item else {
                continue;
            };
            let syn::Type::Path(own) = &*block.self_ty else {
                continue;
            };
            let path: Vec<String> = own
                .path
                .segments
                .iter()
                .map(|segment| segment.ident.to_string())
                .collect();
            let defined = package.resolve(at, &path);
            if block.trait_.is_none()
                && defined.is_some_and(|defined| !package.is_within(at, defined))
            {
                let line = block.impl_token.span.start().line;
                let what = format!("{}:{line}: impl {}", module.file, path.join("::"));
                found.push(Finding::new("impls", &module.file, what));
            }
        }
    }
    found
}

/// **tuples**: parameters of functions whose type is a tuple or a reference to one. **text errors**: functions that
/// return `Result<_, String>`, below the verbs. **long functions**. What a trait demands is counted in the trait, not in its `impl`s.
pub(super) fn functions(package: &Package) -> Vec<Finding> {
    let mut functions = Functions::default();
    for module in &package.modules {
        functions.file.clone_from(&module.file);
        for item in &module.items {
            functions.visit_item(item);
        }
    }
    functions.found
}

#[derive(Default)]
struct Functions {
    file: String,
    /// The type whose `impl` block it is in.
    owner: Option<String>,
    demanded: bool,
    found: Vec<Finding>,
}

impl Functions {
    fn function(&mut self, signature: &syn::Signature, block: Option<&syn::Block>) {
        let name = match &self.owner {
            Some(owner) => format!("{owner}::{}", signature.ident),
            None => signature.ident.to_string(),
        };
        let first = signature.fn_token.span.start().line;
        let place = format!("{}:{first}: {name}", self.file);
        if !self.demanded {
            for line in signature.inputs.iter().filter_map(line_of_tuple) {
                let what = format!("{}:{line}: {name}", self.file);
                self.found.push(Finding::new("tuples", &self.file, what));
            }
            if !self.file.starts_with("src/cli/") && returns_text_error(&signature.output) {
                let found = Finding::new("text errors", &self.file, place.clone());
                self.found.push(found);
            }
        }
        let last = block.map_or(first, |block| block.brace_token.span.close().end().line);
        let lines = last + 1 - first;
        if lines > FUNCTION_LINES_MAX {
            let what = format!("{place}, {lines} lines");
            let key = format!("{} {name}", self.file);
            let found = Finding::new("long functions", &self.file, what).with_key(key);
            self.found.push(found);
        }
    }
}

/// Where a parameter's tuple stands, if it is one.
fn line_of_tuple(input: &syn::FnArg) -> Option<usize> {
    let syn::FnArg::Typed(input) = input else {
        return None;
    };
    let mut kind = &*input.ty;
    while let syn::Type::Reference(reference) = kind {
        kind = &reference.elem;
    }
    match kind {
        syn::Type::Tuple(tuple) if tuple.elems.len() > 1 => {
            Some(tuple.paren_token.span.open().start().line)
        }
        _ => None,
    }
}

fn returns_text_error(output: &syn::ReturnType) -> bool {
    struct Finder(bool);
    impl<'ast> Visit<'ast> for Finder {
        fn visit_path_segment(&mut self, segment: &'ast syn::PathSegment) {
            if segment.ident == "Result"
                && let syn::PathArguments::AngleBracketed(arguments) = &segment.arguments
                && let Some(syn::GenericArgument::Type(syn::Type::Path(error))) =
                    arguments.args.iter().nth(1)
            {
                self.0 |= error.path.is_ident("String");
            }
            visit::visit_path_segment(self, segment);
        }
    }
    let mut finder = Finder(false);
    finder.visit_return_type(output);
    finder.0
}

impl<'ast> Visit<'ast> for Functions {
    fn visit_item_impl(&mut self, block: &'ast syn::ItemImpl) {
        let owner = match &*block.self_ty {
            syn::Type::Path(own) => own.path.segments.last().map(|last| last.ident.to_string()),
            _ => None,
        };
        let before = (
            std::mem::replace(&mut self.owner, owner),
            std::mem::replace(&mut self.demanded, block.trait_.is_some()),
        );
        visit::visit_item_impl(self, block);
        (self.owner, self.demanded) = before;
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        let before = self.owner.replace(item.ident.to_string());
        visit::visit_item_trait(self, item);
        self.owner = before;
    }

    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        let before = (self.owner.take(), std::mem::take(&mut self.demanded));
        self.function(&function.sig, Some(&function.block));
        visit::visit_item_fn(self, function);
        (self.owner, self.demanded) = before;
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        if code::is_test(&function.attrs) {
            return;
        }
        self.function(&function.sig, Some(&function.block));
        visit::visit_impl_item_fn(self, function);
    }

    fn visit_trait_item_fn(&mut self, function: &'ast syn::TraitItemFn) {
        self.function(&function.sig, function.default.as_ref());
        visit::visit_trait_item_fn(self, function);
    }
}
