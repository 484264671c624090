use super::{check, check_imports, lines, parsed};
use crate::Language::{JavaScript, Tsx, TypeScript};
use crate::TestFramework;

#[test]
fn exported_declarations() {
    check(
        TypeScript,
        "export function a(x: number): number {\n  function inner() {}\n  return x;\n}\n\
         export async function* b() {}\n\
         export default function c() {}\n\
         export class D<T> extends E<T> {\n  constructor() {}\n  run() {}\n  private hide() {}\n  #own() {}\n  \
         static of = () => 1;\n  field = 1;\n  get size() { return 1 }\n}\n\
         export abstract class F { abstract go(): void; }\n\
         export interface G { m(): void }\n\
         export type H = string;\n\
         export enum I { A, B }\n\
         export const enum J { A }\n\
         export const k = 1, l = () => 2;\n\
         export declare function m(): void;\n\
         function own() {}\n",
        &[
            "function a+ 1-4",
            "function b+ 5-5",
            "function c+ 6-6",
            "class D+ 7-15",
            "method D.run+ 9-9",
            "method D.hide 10-10",
            "method D.#own 11-11",
            "method D.of+ 12-12",
            "method D.size+ 14-14",
            "class F+ 16-16",
            "method F.go+ 16-16",
            "interface G+ 17-17",
            "type_alias H+ 18-18",
            "enum I+ 19-19",
            "enum J+ 20-20",
            "variable k+ 21-21",
            "function l+ 21-21",
            "function m+ 22-22",
            "function own 23-23",
        ],
    );
}

#[test]
fn values_and_default_exports() {
    check(TypeScript, "export const a = async () => {\n};", &["function a+ 1-2"]);
    check(TypeScript, "export const a = function () {};", &["function a+ 1-1"]);
    check(TypeScript, "export const A = class {\n  run() {}\n};", &["class A+ 1-3", "method A.run+ 2-2"]);
    check(
        TypeScript,
        "export default class { run() {} }",
        &["class default+ 1-1", "method default.run+ 1-1"],
    );
    check(TypeScript, "export default () => { const own = 1; };", &["function default+ 1-1"]);
    check(TypeScript, "export default function () {}", &["function default+ 1-1"]);
    check(
        TypeScript,
        "let own = 1;\nvar other = f(() => { class Hidden {} });",
        &["variable own 1-1", "variable other 2-2"],
    );
    check(TypeScript, "const { a, b } = c;", &[]);
    check(TypeScript, "export const api = { run() {}, stop: () => 1 };", &["variable api+ 1-1"]);
    check(TypeScript, "f(class { run() {} });", &[]);
}

#[test]
fn exports_by_name() {
    check(
        TypeScript,
        "class A { run() {} }\nfunction b() {}\nconst c = 1;\nfunction d() {}\nexport { A, b as other };\nexport default c;",
        &["class A+ 1-1", "method A.run+ 1-1", "function b+ 2-2", "variable c+ 3-3", "function d 4-4"],
    );
    check(
        JavaScript,
        "function a() {}\nfunction b() {}\nfunction c() {}\nmodule.exports = { a, other: b };",
        &["function a+ 1-1", "function b+ 2-2", "function c 3-3"],
    );
    check(JavaScript, "function a() {}\nmodule.exports = a;", &["function a+ 1-1"]);
    check(JavaScript, "function a() {}\nexports.b = a;", &["function a+ 1-1"]);
    check(
        JavaScript,
        "exports.a = function () { const own = 1; };\nexports.b = () => 1;\nmodule.exports.C = class { run() {} };\n\
         exports.d = 1;\nexports.e.f = () => 1;\nother.g = () => 1;\n",
        &["function a+ 1-1", "function b+ 2-2", "class C+ 3-3", "method C.run+ 3-3"],
    );
    check(JavaScript, "module.exports = function main() {};", &["function main+ 1-1"]);
    check(
        JavaScript,
        "module.exports = class { run() {} };",
        &["class default+ 1-1", "method default.run+ 1-1"],
    );
    check(JavaScript, "module.exports = { a() {}, b };", &["variable default+ 1-1"]);
    check(TypeScript, "export default { fetch() { return 1; } };", &["variable default+ 1-1"]);
    check(TypeScript, "export default { a: 1 };", &[]);
    check(TypeScript, "function a() {}\nexport { a } from './b';", &["function a 1-1"]);
}

#[test]
fn namespaces_and_jsx() {
    check(
        TypeScript,
        "export namespace N {\n  export function a() {}\n  function b() {}\n}\ndeclare module 'm' {\n  export function c(): void;\n}",
        &["module N+ 1-4", "function N.a+ 2-2", "function N.b 3-3", "module m 5-7", "function m.c 6-6"],
    );
    check(
        Tsx,
        "export const Button = (p: P) => <button {...p}>{p.text}</button>;",
        &["function Button+ 1-1"],
    );
    check(JavaScript, "export function App() { return <div className=\"a\"/>; }", &["function App+ 1-1"]);
    check(TypeScript, "export const n = <number>x;", &["variable n+ 1-1"]);
}

#[test]
fn decorators_belong_to_the_class() {
    check(
        TypeScript,
        "@Injectable()\nexport class A {\n  @Get()\n  run() {}\n}\n",
        &["class A+ 1-5", "method A.run+ 4-4"],
    );
}

#[test]
fn overloads_are_several_symbols() {
    check(
        TypeScript,
        "export function f(a: string): void;\nexport function f(a: number): void;\nexport function f(a: any) {}",
        &["function f+ 1-1", "function f+ 2-2", "function f+ 3-3"],
    );
}

#[test]
fn imports_of_all_kinds() {
    check_imports(
        TypeScript,
        "import 'side';\nimport a, { b } from \"a\";\nimport type { T } from './types';\n\
         export * from './all';\nimport fs = require('fs');\nconst p = require('path');\nrequire('late');\n\
         import again from 'a';",
        &["./all", "./types", "a", "fs", "late", "path", "side"],
    );
}

#[test]
fn frameworks_by_import_or_by_calls() {
    for (source, framework) in [
        ("import { test } from 'bun:test';", Some(TestFramework::BunTest)),
        ("import { describe, it } from 'vitest';\ndescribe('a', () => {});", Some(TestFramework::Vitest)),
        ("import test from 'node:test';", Some(TestFramework::NodeTest)),
        ("const { it } = require('mocha');", Some(TestFramework::Mocha)),
        ("import { jest } from '@jest/globals';", Some(TestFramework::Jest)),
        ("describe('a', () => { it('b', () => {}); });", Some(TestFramework::Jest)),
        ("test.only('a', () => {});", Some(TestFramework::Jest)),
        ("test.each([1])('a', () => {});", Some(TestFramework::Jest)),
        ("const assert = require('assert');\nit('b', () => {});", Some(TestFramework::Mocha)),
        ("import { expect } from 'chai';\ndescribe('b', () => {});", Some(TestFramework::Mocha)),
        ("function f() { describe('a'); }", None),
        ("testing('a');\nconst it = 1;", None),
    ] {
        assert_eq!(parsed(TypeScript, source).test_framework, framework, "{source}");
    }
}

#[test]
fn broken_source_yields_the_symbols_that_parse() {
    let found = parsed(
        TypeScript,
        "export function a() {}\nexport functoin b( {\nexport class C { run() {} }\nexport const d = ;\nexport function e() {}\n",
    );
    assert!(found.has_errors);
    let lines = lines(&found);
    assert!(lines.contains(&"function a+ 1-1".to_owned()), "{lines:?}");
    assert!(lines.iter().any(|line| line.starts_with("function e+")), "{lines:?}");
}

#[test]
fn places_count_from_one_in_bytes() {
    let found = parsed(TypeScript, "/* ä */ export const a = 1;\n");
    let symbol = &found.symbols[0];
    assert_eq!((symbol.line, symbol.column, symbol.end_line, symbol.end_column), (1, 10, 1, 29));
}
