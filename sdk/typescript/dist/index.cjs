// Made by bundle.mjs out of src/. Do not edit.
"use strict";
const { Buffer } = require("node:buffer");
const { Console } = require("node:console");
const { appendFileSync, write, writeSync } = require("node:fs");
const process = require("node:process");

// values/failure
const FAILURE = Symbol.for("tenon.failure");
class Failure extends Error {
    name = "Failure";
    detail;
    path;
    code;
    diagnostics;
    held;
    constructor(message, options = {}, diagnostics = []) {
        super(message, options.cause === undefined ? undefined : { cause: options.cause });
        this.detail = options.detail;
        this.path = typeof options.path === "string" ? [options.path] : options.path;
        this.code = options.code;
        this.diagnostics = diagnostics;
    }
    get [FAILURE]() {
        return true;
    }
    static at(path, message, options = {}) {
        return new Failure(message, { ...options, path });
    }
    static outcomeUnknown(message, options = {}) {
        return new Failure(message, { ...options, code: "outcome_unknown" });
    }
    static all(diagnostics) {
        const errors = diagnostics.filter((one) => one.severity === "error");
        const reasonless = { severity: "error", summary: "the plugin failed; no reason was given" };
        const [first = reasonless, ...others] = errors;
        const detail = others.length > 0 ? others.map(diagnosticText).join("\n") : first.detail;
        const all = errors.length > 0 ? diagnostics : [...diagnostics, first];
        return new Failure(first.summary, { path: first.path, detail }, all);
    }
    static locked(held) {
        const failure = new Failure(held ? "the state is locked by another client" : "the lock is no longer held");
        failure.held = held ?? null;
        return failure;
    }
}
function isFailure(error) {
    return typeof error === "object" && error !== null && error[FAILURE] === true;
}
function isMistake(error) {
    if (error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError)
        return true;
    return error instanceof Error && error.code === "ERR_ASSERTION";
}
const MOST_CAUSES = 32;
function asFailure(thrown) {
    if (isFailure(thrown))
        return thrown;
    if (!(thrown instanceof Error))
        return new Failure(textOf(thrown));
    const [first = thrown, ...others] = reasonsOf(thrown);
    const headline = thrown.message || (isAggregate(thrown) && textOf(first, "")) || thrown.name;
    const texts = [];
    for (const text of [first, ...others].map((one) => textOf(one, ""))) {
        if (text !== "" && ![headline, ...texts].some((known) => known.includes(text)))
            texts.push(text);
    }
    return new Failure(headline, { cause: thrown, detail: texts.length > 0 ? texts.join("\n") : undefined });
}
function isAggregate(error) {
    return error instanceof Error && Array.isArray(error.errors);
}
function reasonsOf(error) {
    const found = [];
    const add = (one) => {
        if (one === undefined || one === error || found.includes(one) || found.length >= MOST_CAUSES)
            return;
        found.push(one);
        if (one instanceof Error)
            below(one);
    };
    const below = (one) => {
        if (isAggregate(one))
            one.errors.forEach(add);
        add(one.cause);
    };
    below(error);
    return found;
}
function textOf(thrown, otherwise = "the plugin failed; no reason was given") {
    if (typeof thrown === "string" && thrown !== "")
        return thrown;
    const message = thrown?.message;
    return typeof message === "string" && message !== "" ? message : otherwise;
}
function failureText(failure) {
    const text = failure.path === undefined || failure.path.length === 0
        ? failure.message
        : `${failure.path.join(".")}: ${failure.message}`;
    return failure.detail === undefined || failure.detail === "" ? text : `${text}\n${failure.detail}`;
}
function failureDiagnostics(failure) {
    if (failure.diagnostics.length > 0)
        return failure.diagnostics;
    const { message: summary, detail, path } = failure;
    return [{ severity: "error", summary, detail, path }];
}
function diagnosticText({ summary, detail, path }) {
    const start = path === undefined || path.length === 0 ? summary : `${path.join(".")}: ${summary}`;
    return detail === undefined || detail === "" ? start : `${start}: ${detail}`;
}

// define/context
class Context {
    warnings;
    kept;
    #state;
    #call;
    #reporter;
    #stored;
    constructor(state, call, reporter, stored) {
        this.#state = state;
        this.#call = call;
        this.warnings = call.warnings ?? [];
        this.#reporter = reporter;
        this.#stored = stored;
    }
    get state() {
        return this.#state();
    }
    get signal() {
        return this.#call.signal;
    }
    get cancelled() {
        return this.#call.isCancelled;
    }
    progress(message, steps = {}) {
        if (!this.#isOver)
            this.#reporter.progress?.(message, steps.done, steps.total);
    }
    log(message, level = "info", fields) {
        if (this.#reporter.log !== undefined && !this.#isOver)
            this.#reporter.log(level, message, fields);
        else
            console.error(`[${level.toUpperCase()}] ${message}`);
    }
    warn(summary, options = {}) {
        const path = typeof options.path === "string" ? [options.path] : options.path;
        this.warnings.push({ severity: "warning", summary, detail: options.detail, path });
    }
    get private() {
        return this.kept === undefined ? this.#stored : this.kept ?? undefined;
    }
    set private(data) {
        if (data !== undefined && !(data instanceof Uint8Array))
            throw new Failure("private data must be a Uint8Array");
        this.kept = data ?? null;
    }
    #isOver = false;
    end() {
        this.#isOver = true;
    }
}

// define/field
var _a2;
const FIELD = Symbol.for("tenon.field");
class Field {
    declaration;
    constructor(declaration) {
        this.declaration = Object.freeze(declaration);
    }
    get [FIELD]() {
        return true;
    }
    #with(more) {
        return new _a2({ ...this.declaration, ...more });
    }
    describe(description) {
        return this.#with({ description });
    }
    optional() {
        return this.#with({ optional: true });
    }
    default(value) {
        return this.#with({ default: value });
    }
    nullable() {
        return this.#with({ nullable: true });
    }
    secret() {
        return this.#with({ secret: true });
    }
    writeOnly() {
        return this.#with({ writeOnly: true });
    }
    replaces() {
        return this.#with({ replaces: true });
    }
    stable() {
        return this.#with({ stable: true });
    }
    allowUnknown() {
        return this.#with({ allowUnknown: true });
    }
    idempotencyKey() {
        return this.#with({ idempotencyKey: true });
    }
    deprecated(why) {
        return this.#with({ deprecated: why });
    }
}
_a2 = Field;
function isField(value) {
    return typeof value === "object" && value !== null && value[FIELD] === true;
}
function field(type, options) {
    const all = typeof options === "string" ? { description: options } : { ...options };
    return new Field({ ...all, type });
}
function string(options) {
    return field({ kind: "string" }, options);
}
function number(options) {
    return field({ kind: "number", as: "number" }, options);
}
function integer(options) {
    return field({ kind: "number", as: "integer" }, options);
}
function bigint(options) {
    return field({ kind: "number", as: "bigint" }, options);
}
function big(options) {
    return field({ kind: "number", as: "big" }, options);
}
function bool(options) {
    return field({ kind: "bool" }, options);
}
function any(options) {
    const given = typeof options === "string" ? { description: options } : options;
    return field({ kind: "any" }, { nullable: true, ...given });
}
function list(element, options) {
    return field({ kind: "list", element: elementOf(element) }, options);
}
function set(element, options) {
    return field({ kind: "set", element: elementOf(element) }, options);
}
function map(element, options) {
    return field({ kind: "map", element: elementOf(element) }, options);
}
function object(attributes, options) {
    return field({ kind: "object", attributes: declarations(attributes) }, options);
}
function tuple(elements, options) {
    return field({ kind: "tuple", elements: elements.map(elementOf) }, options);
}
function elementOf(element) {
    const { declaration } = element;
    return declaration.optional === true ? { ...declaration, optional: false, nullable: true } : declaration;
}
function block(attributes, options) {
    const { nesting = "list", min, max, ...texts } = options ?? {};
    const body = { kind: "object", attributes: declarations(attributes) };
    const element = { type: body };
    const type = nesting === "single" || nesting === "group" ? body : { kind: nesting, element };
    const bounds = { nesting, ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) };
    return new Field({ ...texts, type, block: bounds, optional: nesting === "single" && (min ?? 0) === 0 });
}
function declarations(shape) {
    return Object.fromEntries(Object.entries(shape).map(([name, one]) => {
        if (!isField(one))
            throw new TypeError(`${name}: a field is required, such as string() or number()`);
        return [name, one.declaration];
    }));
}

// define/infer


// define/hooks
const RESOURCE_HOOKS = ["prePlan", "postPlan", "preApply", "postApply", "preRefresh", "postRefresh"];
const STAGE_HOOKS = [
    "initStageStart",
    "initStageCompleted",
    "initStageFailed",
    "planStageStart",
    "planStageCompleted",
    "planStageFailed",
    "applyStageStart",
    "applyStageCompleted",
    "applyStageFailed",
];

// define/parts


// values/type
const DEEPEST_TYPE = 64;
const EXACT = { kind: "number", as: "exact" };
function typeText(type) {
    switch (type.kind) {
        case "list":
        case "set":
        case "map":
            return `${type.kind}(${typeText(type.element.type)})`;
        case "tuple":
            return `tuple([${type.elements.map((one) => typeText(one.type)).join(", ")}])`;
        case "object": {
            const all = Object.entries(type.attributes).map(([name, one]) => {
                const text = typeText(one.type);
                return `${name} = ${isOptional(one) ? `optional(${text})` : text}`;
            });
            return all.length === 0 ? "object({})" : `object({ ${all.join(", ")} })`;
        }
        default:
            return type.kind;
    }
}
function typeJson(type) {
    switch (type.kind) {
        case "any":
            return "dynamic";
        case "list":
        case "set":
        case "map":
            return [type.kind, typeJson(type.element.type)];
        case "tuple":
            return ["tuple", type.elements.map((one) => typeJson(one.type))];
        case "object": {
            const names = Object.keys(type.attributes).sort(bytewise);
            const types = Object.fromEntries(names.map((name) => [name, typeJson(declared(type.attributes, name).type)]));
            const optional = names.filter((name) => isOptional(declared(type.attributes, name)));
            return optional.length === 0 ? ["object", types] : ["object", types, optional];
        }
        default:
            return type.kind;
    }
}
function typeFromJson(json, depth = 0) {
    if (depth > DEEPEST_TYPE)
        return undefined;
    if (json === "string" || json === "bool")
        return { kind: json };
    if (json === "number")
        return EXACT;
    if (json === "dynamic")
        return { kind: "any" };
    if (!Array.isArray(json))
        return undefined;
    const [kind, inner, optional] = json;
    switch (kind) {
        case "list":
        case "set":
        case "map": {
            const element = json.length === 2 ? typeFromJson(inner, depth + 1) : undefined;
            return element && { kind, element: { type: element, nullable: true } };
        }
        case "tuple": {
            if (json.length !== 2 || (inner !== null && !Array.isArray(inner)))
                return undefined;
            const elements = (inner ?? []).map((one) => typeFromJson(one, depth + 1));
            if (elements.includes(undefined))
                return undefined;
            return { kind, elements: elements.map((type) => ({ type: type, nullable: true })) };
        }
        case "object":
            return json.length <= 3 ? objectFromJson(inner ?? {}, optional ?? [], depth) : undefined;
        default:
            return undefined;
    }
}
function objectFromJson(types, optional, depth) {
    if (typeof types !== "object" || types === null || Array.isArray(types) || !Array.isArray(optional))
        return undefined;
    const attributes = {};
    for (const [name, json] of Object.entries(types)) {
        const type = typeFromJson(json, depth + 1);
        if (type === undefined)
            return undefined;
        put(attributes, name.normalize("NFC"), { type, nullable: true, optional: optional.includes(name) });
    }
    if (!optional.every((name) => typeof name === "string" && Object.hasOwn(types, name)))
        return undefined;
    return { kind: "object", attributes };
}
function isOptional(one) {
    return one.optional === true || one.default !== undefined || one.writeOnly === true;
}
function mustBeThere(one) {
    return one.type.kind !== "any" && one.nullable !== true && !isOptional(one);
}
function holdsSecret({ secret, writeOnly, type }) {
    if (secret === true || writeOnly === true)
        return true;
    if (type.kind === "object")
        return Object.values(type.attributes).some(holdsSecret);
    if (type.kind === "tuple")
        return type.elements.some(holdsSecret);
    return "element" in type && holdsSecret(type.element);
}
function declared(attributes, name) {
    return attributes[name];
}
function put(object, name, value) {
    if (name === "__proto__") {
        Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
    }
    else
        object[name] = value;
}
function bytewise(a, b) {
    if (a === b)
        return 0;
    for (let index = 0; index < a.length && index < b.length; index += 1) {
        const [x, y] = [a.charCodeAt(index), b.charCodeAt(index)];
        if (x !== y)
            return (x >= 0xd800 && x < 0xe000 ? x + 0x10000 : x) - (y >= 0xd800 && y < 0xe000 ? y + 0x10000 : y);
    }
    return a.length - b.length;
}
const ARTICLES = {
    string: "a string",
    number: "a number",
    bool: "a bool",
    any: "a value",
    list: "a list",
    set: "a set",
    map: "a map",
    tuple: "a tuple",
    object: "an object",
};
function typeName(type) {
    if (type.kind === "number" && (type.as === "integer" || type.as === "bigint"))
        return "a whole number";
    return ARTICLES[type.kind];
}

// values/big
const BIG = Symbol.for("tenon.big");
const MOST_DIGITS = 1024;
const LARGEST_EXPONENT = 4096;
const NUMBER = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,9}))?$/;
class Big {
    #coefficient;
    #exponent;
    constructor(text) {
        const found = typeof text === "bigint" ? [text, 0] : parseDecimal(String(text));
        if (found === undefined)
            throw new RangeError(`not a decimal number: ${JSON.stringify(String(text)).slice(0, 60)}`);
        let [coefficient, exponent] = found;
        while (coefficient !== 0n && coefficient % 10n === 0n) {
            coefficient /= 10n;
            exponent += 1;
        }
        this.#coefficient = coefficient;
        this.#exponent = coefficient === 0n ? 0 : exponent;
    }
    get [BIG]() {
        return true;
    }
    get isInteger() {
        return this.#exponent >= 0;
    }
    toBigInt() {
        if (!this.isInteger)
            throw new RangeError(`${this.toString()} is not an integer`);
        return this.#coefficient * 10n ** BigInt(this.#exponent);
    }
    toNumber() {
        return Number(`${this.#coefficient}e${this.#exponent}`);
    }
    toString() {
        const isNegative = this.#coefficient < 0n;
        const digits = (isNegative ? -this.#coefficient : this.#coefficient).toString();
        const sign = isNegative ? "-" : "";
        if (this.#exponent >= 0)
            return sign + digits + "0".repeat(this.#exponent);
        const places = -this.#exponent;
        const padded = digits.padStart(places + 1, "0");
        return `${sign}${padded.slice(0, -places)}.${padded.slice(-places)}`;
    }
    equals(other) {
        return this.toString() === (isBig(other) ? other : new Big(other)).toString();
    }
    get isBinary() {
        if (this.#exponent >= 0)
            return Number.isSafeInteger(this.toNumber());
        const power = 5n ** BigInt(-this.#exponent);
        if (this.#coefficient % power !== 0n)
            return false;
        const mantissa = this.#coefficient / power;
        const bits = (mantissa < 0n ? -mantissa : mantissa).toString(2).replace(/0+$/, "").length;
        return bits <= 53 && -this.#exponent < 1000;
    }
    [Symbol.toPrimitive](hint) {
        if (hint === "number")
            throw new TypeError("a Big does not calculate; use toNumber() or toBigInt()");
        return this.toString();
    }
    toJSON() {
        throw new TypeError("JSON.stringify cannot write a Big; use toString() or toNumber()");
    }
    [Symbol.for("nodejs.util.inspect.custom")]() {
        return `Big ${this.toString()}`;
    }
}
function isBig(value) {
    return typeof value === "object" && value !== null && value[BIG] === true;
}
function parseDecimal(text) {
    const found = text.length > MOST_DIGITS + 16 ? null : NUMBER.exec(text);
    if (found === null)
        return undefined;
    const [, sign = "", whole = "", fraction = "", power = "0"] = found;
    const exponent = Number(power);
    if (whole === "" && fraction === "")
        return undefined;
    if (Math.abs(exponent) > LARGEST_EXPONENT || whole.length + fraction.length > MOST_DIGITS)
        return undefined;
    const digits = BigInt(whole + fraction);
    return [sign === "-" ? -digits : digits, exponent - fraction.length];
}
function exactNumber(text) {
    const number = Number(text);
    if (text.length <= 15 && /^-?(0|[1-9]\d*)(\.\d+)?$/.test(text))
        return number === 0 ? 0 : number;
    if (/^[+-]?[iI]nf$/.test(text))
        return text.startsWith("-") ? -Infinity : Infinity;
    const found = parseDecimal(text);
    if (found === undefined)
        return undefined;
    const big = new Big(text);
    if (big.isInteger && Number.isFinite(number) && !Number.isSafeInteger(number))
        return big.toBigInt();
    if (Number.isFinite(number) && big.equals(number))
        return number === 0 ? 0 : number;
    return big.isInteger ? big.toBigInt() : big;
}
function decimalText(number) {
    if (typeof number !== "number")
        return number.toString();
    const text = String(number);
    return text.includes("e") ? new Big(text).toString() : text;
}

// ipc/bytes
const strictDecoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
function utf8Text(bytes) {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
    return text.includes("\ufffd") ? strictDecoder.decode(bytes) : text;
}
function wellFormed(json) {
    if (!json.includes("\\ud"))
        return json;
    return json.replace(/(\\\\)|\\ud[89a-f][0-9a-f]{2}/g, (_, backslash) => backslash ?? "\\ufffd");
}
const IDLE_SPACE = 64 * 1024;
class ByteQueue {
    #space = new Uint8Array(0);
    #start = 0;
    #end = 0;
    get length() {
        return this.#end - this.#start;
    }
    get view() {
        return this.#space.subarray(this.#start, this.#end);
    }
    push(chunk) {
        if (this.#space.length - this.#end < chunk.length)
            this.#makeRoom(chunk.length);
        this.#space.set(chunk, this.#end);
        this.#end += chunk.length;
    }
    drop(count) {
        this.#start += count;
        if (this.#start < this.#end)
            return;
        this.#start = 0;
        this.#end = 0;
        if (this.#space.length > IDLE_SPACE)
            this.#space = new Uint8Array(0);
    }
    #makeRoom(count) {
        const { view } = this;
        const needed = view.length + count;
        if (needed * 2 <= this.#space.length) {
            this.#space.copyWithin(0, this.#start, this.#end);
        }
        else {
            const larger = new Uint8Array(Math.max(needed, view.length * 2));
            larger.set(view);
            this.#space = larger;
        }
        this.#start = 0;
        this.#end = view.length;
    }
}

// values/json
const DEEPEST = 128;
const DEEPEST_WRITTEN = 4 * DEEPEST;
const LONG_NUMBER = /[:[,]\s*-?(?:\d[\d.]{15}|\d[\d.]*[eE])/;
function parseJson(text) {
    if (LONG_NUMBER.test(text))
        return new JsonParser(text).whole();
    if (isDeep(text))
        throw new SyntaxError("the JSON is nested too deeply");
    return JSON.parse(text);
}
function isDeep(text) {
    if (text.length <= 2 * DEEPEST)
        return false;
    let depth = 0;
    for (let at = 0; at < text.length; at += 1) {
        switch (text.charCodeAt(at)) {
            case 0x22: {
                at = endOfText(text, at);
                if (at < 0)
                    return false;
                break;
            }
            case 0x5b:
            case 0x7b:
                depth += 1;
                if (depth > DEEPEST)
                    return true;
                break;
            case 0x5d:
            case 0x7d:
                depth -= 1;
        }
    }
    return false;
}
function endOfText(text, start) {
    for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
        let slashes = 0;
        while (text.charCodeAt(end - 1 - slashes) === 0x5c)
            slashes += 1;
        if (slashes % 2 === 0)
            return end;
    }
    return -1;
}
function stringifyJson(value) {
    return wellFormed(jsonText(value) ?? "null");
}
function jsonText(value) {
    try {
        return JSON.stringify(value);
    }
    catch (error) {
        if (!(error instanceof TypeError))
            throw error;
        return exactText(value, 0);
    }
}
function exactText(value, depth) {
    if (typeof value === "bigint" || isBig(value))
        return decimalText(value);
    if (depth > DEEPEST_WRITTEN)
        throw new TypeError("the value is nested too deeply, or contains itself");
    if (Array.isArray(value))
        return `[${value.map((one) => exactText(one, depth + 1) ?? "null").join()}]`;
    if (typeof value !== "object" || value === null || "toJSON" in value)
        return JSON.stringify(value);
    const members = [];
    for (const [name, one] of Object.entries(value)) {
        const text = exactText(one, depth + 1);
        if (text !== undefined)
            members.push(`${JSON.stringify(name)}:${text}`);
    }
    return `{${members.join()}}`;
}
class JsonParser {
    #text;
    #at = 0;
    constructor(text) {
        this.#text = text;
    }
    whole() {
        const value = this.#value(0);
        this.#blanks();
        if (this.#at < this.#text.length)
            this.#fail();
        return value;
    }
    #fail() {
        throw new SyntaxError(`invalid JSON at character ${this.#at}`);
    }
    #blanks() {
        while (" \t\n\r".includes(this.#text[this.#at] ?? "x"))
            this.#at += 1;
    }
    #value(depth) {
        if (depth > DEEPEST)
            throw new SyntaxError("the JSON is nested too deeply");
        this.#blanks();
        switch (this.#text[this.#at]) {
            case "{":
                return this.#object(depth);
            case "[":
                return this.#array(depth);
            case '"':
                return this.#string();
            default:
                return this.#scalar();
        }
    }
    #object(depth) {
        const found = {};
        this.#at += 1;
        this.#blanks();
        if (this.#take("}"))
            return found;
        do {
            this.#blanks();
            if (this.#text[this.#at] !== '"')
                this.#fail();
            const name = this.#string();
            this.#blanks();
            if (!this.#take(":"))
                this.#fail();
            put(found, name, this.#value(depth + 1));
            this.#blanks();
        } while (this.#take(","));
        return this.#take("}") ? found : this.#fail();
    }
    #array(depth) {
        const found = [];
        this.#at += 1;
        this.#blanks();
        if (this.#take("]"))
            return found;
        do {
            found.push(this.#value(depth + 1));
            this.#blanks();
        } while (this.#take(","));
        return this.#take("]") ? found : this.#fail();
    }
    #take(letter) {
        if (this.#text[this.#at] !== letter)
            return false;
        this.#at += 1;
        return true;
    }
    #string() {
        let end = this.#at + 1;
        while (this.#text[end] !== '"') {
            if (end >= this.#text.length)
                this.#fail();
            end += this.#text[end] === "\\" ? 2 : 1;
        }
        const quoted = this.#text.slice(this.#at, end + 1);
        this.#at = end + 1;
        return JSON.parse(quoted);
    }
    #scalar() {
        const rest = /[^\s,\]}]*/y;
        rest.lastIndex = this.#at;
        const text = rest.exec(this.#text)?.[0] ?? "";
        if (/^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text)) {
            this.#at += text.length;
            return exactNumber(text) ?? this.#fail();
        }
        if (text !== "true" && text !== "false" && text !== "null")
            this.#fail();
        this.#at += text.length;
        return JSON.parse(text);
    }
}

// values/problem
function problemText({ path, text, isNamed }) {
    const place = isNamed === true ? path.slice(0, -1) : path;
    return place.length === 0 ? text : `at ${pathText(place)}: ${text}`;
}
function plainProblemText({ path, text }) {
    return path.length === 0 ? text : `${path.join(".")}: ${text}`;
}
function pathText(path) {
    return path.map((step) => {
        if (typeof step === "number")
            return `[${step}]`;
        return /^[\p{L}_][\p{L}\p{N}_-]*$/u.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`;
    }).join("");
}
function problemsText(problems) {
    return problems.map(problemText).join("; ");
}
function problemDiagnostic({ path, text }, summary) {
    return { severity: "error", summary, detail: text, path };
}
class Unfit extends Failure {
    name = "Unfit";
    problems;
    constructor(problems) {
        const [first = { path: [], text: "invalid value" }] = problems;
        super(first.text, { path: first.path }, problems.map((one) => problemDiagnostic(one, "invalid value")));
        this.problems = problems;
    }
}
function isUnfit(error) {
    return error instanceof Unfit;
}
function distance(a, b) {
    let beforeLast = [];
    let last = Array.from({ length: b.length + 1 }, (_, index) => index);
    for (let i = 1; i <= a.length; i += 1) {
        const row = [i];
        for (let j = 1; j <= b.length; j += 1) {
            const changed = a[i - 1] === b[j - 1] ? 0 : 1;
            let least = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + changed);
            if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
                least = Math.min(least, (beforeLast[j - 2] ?? 0) + 1);
            }
            row.push(least);
        }
        beforeLast = last;
        last = row;
    }
    return last[b.length] ?? 0;
}
function nearest(name, candidates) {
    if (name.length > 200)
        return undefined;
    const most = Math.floor(Math.max(name.length, 3) / 3);
    const near = candidates
        .map((candidate) => ({ candidate, mistakes: distance(name, candidate) }))
        .filter(({ mistakes }) => mistakes <= most && mistakes < name.length)
        .sort((a, b) => a.mistakes - b.mistakes || (a.candidate < b.candidate ? -1 : 1));
    return near[0]?.candidate;
}

// values/secret
const SECRET = Symbol.for("tenon.secret");
class Secret {
    #value;
    constructor(value) {
        this.#value = value;
    }
    get [SECRET]() {
        return true;
    }
    reveal() {
        return this.#value;
    }
    toString() {
        return "***";
    }
    toJSON() {
        return "***";
    }
    [Symbol.for("nodejs.util.inspect.custom")]() {
        return "Secret ***";
    }
}
class WriteOnly extends Secret {
}
function isSecret(value) {
    return typeof value === "object" && value !== null && value[SECRET] === true;
}
function revealed(value) {
    return isSecret(value) ? value.reveal() : value;
}

// values/unknown
const UNKNOWN = Symbol.for("tenon.unknown");
const NOT_KNOWN = "the value is not known yet; check it with isUnknown() before using it";
class Unknown {
    refinement;
    constructor(refinement = {}) {
        this.refinement = Object.freeze({ ...refinement });
        Object.freeze(this);
    }
    get [UNKNOWN]() {
        return true;
    }
    [Symbol.toPrimitive]() {
        throw new TypeError(NOT_KNOWN);
    }
    toString() {
        throw new TypeError(NOT_KNOWN);
    }
    toJSON() {
        throw new TypeError(NOT_KNOWN);
    }
    [Symbol.for("nodejs.util.inspect.custom")]() {
        return "(not known yet)";
    }
}
const unknown = new Unknown();
function isUnknown(value) {
    return typeof value === "object" && value !== null && value[UNKNOWN] === true;
}
function hasUnknown(value) {
    if (typeof value !== "object" || value === null)
        return false;
    if (isUnknown(value))
        return true;
    if (ArrayBuffer.isView(value))
        return false;
    if (Array.isArray(value))
        return value.some(hasUnknown);
    if (value instanceof Set || value instanceof Map)
        return [...value.values()].some(hasUnknown);
    for (const key in value)
        if (hasUnknown(value[key]))
            return true;
    return false;
}

// values/read
const JSON_READING = { hasTypes: false, allowUnknown: false };
const CTY_READING = { hasTypes: true, allowUnknown: false };
const PLAN_READING = { hasTypes: true, allowUnknown: true };
function below(path, step) {
    return step === undefined ? path : [...path, step];
}
class Reader {
    problems = [];
    #reading;
    constructor(reading) {
        this.#reading = reading;
    }
    #refuse(path, step, text, isNamed = false) {
        this.problems.push({ path: below(path, step), text, isNamed });
    }
    declared(given, one, path, step) {
        let value = given;
        if (value === null || value === undefined) {
            if (one.default !== undefined && this.#reading.isPartial !== true)
                value = one.default;
            else if (one.nullable === true && one.optional !== true)
                return null;
            else if (isOptional(one) || this.#reading.isPartial === true)
                return undefined;
            else
                return this.#refuse(path, step, "a value is required, but this is null");
        }
        if (isUnknown(value)) {
            if (this.#reading.allowUnknown || one.allowUnknown === true)
                return value;
            return this.#refuse(path, step, "the value is not known yet");
        }
        const before = this.problems.length;
        const found = this.typed(value, one.type, path, step);
        if (one.writeOnly === true || one.secret === true) {
            if (this.problems.length > before) {
                this.problems.splice(before);
                return this.#refuse(path, step, `${typeName(one.type)} is required`);
            }
            if (one.isBare === true)
                return found;
            return one.writeOnly === true ? new WriteOnly(found) : new Secret(found);
        }
        return found;
    }
    typed(value, type, path, step) {
        switch (type.kind) {
            case "string":
                return this.#string(value, path, step);
            case "bool":
                return this.#bool(value, path, step);
            case "number":
                return this.#number(value, type, path, step);
            case "any":
                return this.#any(value, path, step);
            case "list":
            case "set": {
                const all = listOfDefault(value);
                if (!Array.isArray(all))
                    return this.#wrong(value, type, path, step);
                const here = below(path, step);
                const elements = all.map((one, index) => this.declared(one, type.element, here, index));
                return type.kind === "list" || type.element.type.kind === "object" ? elements : new Set(elements);
            }
            case "map": {
                const all = value instanceof Map ? Object.fromEntries(value) : value;
                if (!isRecord(all))
                    return this.#wrong(value, type, path, step);
                const here = below(path, step);
                const found = {};
                for (const [key, one] of Object.entries(all))
                    put(found, key, this.declared(one, type.element, here, key));
                return found;
            }
            case "tuple": {
                if (!Array.isArray(value))
                    return this.#wrong(value, type, path, step);
                if (value.length !== type.elements.length) {
                    return this.#refuse(path, step, `a tuple of ${type.elements.length} elements is required, but this has ${value.length}`);
                }
                const here = below(path, step);
                return type.elements.map((one, index) => this.declared(value[index], one, here, index));
            }
            case "object":
                if (!isRecord(value))
                    return this.#wrong(value, type, path, step);
                return this.object(value, type.attributes, below(path, step));
        }
    }
    object(given, attributes, path) {
        const found = {};
        let meant;
        for (const name in given) {
            if (Object.hasOwn(attributes, name) || this.#reading.ignoreExtra === true)
                continue;
            const absent = Object.keys(attributes).filter((candidate) => !Object.hasOwn(given, candidate));
            const near = nearest(name, absent);
            if (near !== undefined)
                meant = (meant ?? new Set()).add(near);
            const hint = near === undefined ? "" : `; did you mean \`${near}\`?`;
            this.#refuse(path, name, `the attribute ${JSON.stringify(name)} is not supported${hint}`, true);
        }
        for (const name in attributes) {
            const one = attributes[name];
            const value = Object.hasOwn(given, name) ? given[name] : undefined;
            if ((value === null || value === undefined) && !isOptional(one) && one.nullable !== true &&
                this.#reading.isPartial !== true) {
                const isBlock = one.block !== undefined && one.block.nesting !== "single" && (one.block.min ?? 0) === 0;
                if (isBlock)
                    put(found, name, one.block?.nesting === "map" || one.block?.nesting === "group" ? {} : []);
                else if (meant?.has(name) !== true) {
                    this.#refuse(path, name, `the attribute ${JSON.stringify(name)} is required`, true);
                }
                continue;
            }
            const member = this.declared(value, one, path, name);
            if (member !== undefined)
                put(found, name, member);
        }
        return found;
    }
    #string(value, path, step) {
        if (typeof value === "string")
            return value;
        if (!(value instanceof Uint8Array))
            return this.#wrong(value, { kind: "string" }, path, step);
        return plainText(value) ?? this.#refuse(path, step, "a string is required, but this is not UTF-8");
    }
    #bool(value, path, step) {
        if (typeof value === "boolean")
            return value;
        if (value === "true" || value === "1")
            return true;
        if (value === "false" || value === "0")
            return false;
        if (typeof value === "string")
            return this.#refuse(path, step, 'a bool is required: "true" or "false"');
        return this.#wrong(value, { kind: "bool" }, path, step);
    }
    #number(value, type, path, step) {
        let found;
        if (typeof value === "number" || typeof value === "bigint" || isBig(value))
            found = value;
        else if (typeof value === "string")
            found = exactNumber(value);
        else if (value instanceof Uint8Array)
            found = exactNumber(new TextDecoder().decode(value));
        if (found === undefined || Number.isNaN(found))
            return this.#wrong(value, type, path, step);
        if (isBig(found) && found.isInteger)
            found = found.toBigInt();
        const isInteger = typeof found === "bigint" || Number.isInteger(found);
        switch (type.as) {
            case "exact":
            case "big":
                return found;
            case "bigint":
                return isInteger ? BigInt(found) : this.#refuse(path, step, "a whole number is required");
            default:
                if (type.as === "integer" && !isInteger)
                    return this.#refuse(path, step, "a whole number is required");
                if (typeof found === "bigint" && found >= -MAX_SAFE && found <= MAX_SAFE)
                    return Number(found);
                if (typeof found === "number")
                    return found;
                return this.#refuse(path, step, "the number has more digits than the plugin can hold; its author can declare it with big() or bigint()");
        }
    }
    #any(value, path, step) {
        if (!this.#reading.hasTypes)
            return this.#implied(value, path, step);
        if (Array.isArray(value) && value.length === 2 && value[0] instanceof Uint8Array) {
            const type = typeFromBytes(value[0]);
            if (type === undefined)
                return this.#refuse(path, step, "the type of the value is invalid");
            return this.declared(value[1], { type, nullable: true }, path, step);
        }
        return this.#implied(value, path, step);
    }
    #implied(given, path, step) {
        const value = listOfDefault(given);
        const here = typeof value === "object" ? below(path, step) : path;
        if (Array.isArray(value))
            return value.map((one, index) => this.#implied(one, here, index));
        if (isUnknown(value) && !this.#reading.allowUnknown)
            return this.#refuse(path, step, "the value is not known yet");
        if (!isRecord(value))
            return value ?? null;
        const found = {};
        for (const [key, one] of Object.entries(value))
            put(found, key, this.#implied(one, here, key));
        return found;
    }
    #wrong(value, type, path, step) {
        return this.#refuse(path, step, `${typeName(type)} is required, but this is ${wireName(value)}`);
    }
}
function listOfDefault(value) {
    return value instanceof Set ? [...value] : value;
}
function plainText(bytes) {
    try {
        return utf8Text(bytes);
    }
    catch {
        return undefined;
    }
}
const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER);
const types = new Map();
function typeFromBytes(bytes) {
    const text = new TextDecoder().decode(bytes);
    let type = types.get(text);
    if (type !== undefined)
        return type;
    try {
        type = typeFromJson(JSON.parse(text));
    }
    catch {
        return undefined;
    }
    if (type !== undefined && types.size < 256)
        types.set(text, type);
    return type;
}
function wireName(value) {
    if (value === null || value === undefined)
        return "null";
    if (Array.isArray(value))
        return "a list";
    if (value instanceof Uint8Array)
        return "binary data";
    if (typeof value === "string")
        return "a string";
    if (typeof value === "boolean")
        return "a bool";
    if (typeof value === "number" || typeof value === "bigint" || isBig(value))
        return "a number";
    return isUnknown(value) ? "not known yet" : "an object";
}
function isRecord(value) {
    if (typeof value !== "object" || value === null || Array.isArray(value))
        return false;
    return !isUnknown(value) && !isBig(value) && !ArrayBuffer.isView(value);
}
function readObject(given, attributes, reading) {
    const reader = new Reader(reading);
    const object = given ?? {};
    const found = isRecord(object)
        ? reader.object(object, attributes, [])
        : reader.typed(object, { kind: "object", attributes }, [], undefined);
    if (reader.problems.length > 0)
        throw new Unfit(reader.problems);
    return found;
}
function readValue(given, one, reading, path = []) {
    const reader = new Reader(reading);
    const found = reader.declared(given, one, path, undefined);
    if (reader.problems.length > 0)
        throw new Unfit(reader.problems);
    return found;
}

// values/write
class Unwritable extends Error {
    name = "Unwritable";
    path;
    constructor(path, problem) {
        super(path.length === 0 ? problem : `${path.join(".")}: ${problem}`);
        this.path = path;
    }
}
class Typed {
    type;
    value;
    constructor(type, value) {
        this.type = type;
        this.value = value;
    }
}
const encoder = new TextEncoder();
const HALF_PAIR = /\p{Surrogate}/u;
function writeDeclared(value, one, format, path = []) {
    const plain = isSecret(value) ? revealed(value) : value;
    if (plain === undefined || plain === null)
        return null;
    if (isUnknown(plain) && one.type.kind !== "any") {
        if (format === "json") {
            throw new Unwritable(path, "the value is not known yet, and this host has no unknown values");
        }
        return plain;
    }
    return writeTyped(plain, one.type, format, path);
}
function writeTyped(value, type, format, path) {
    switch (type.kind) {
        case "string":
            if (typeof value === "string")
                return checkedText(value, path);
            if (value instanceof Date)
                return dateText(value, path);
            break;
        case "bool":
            if (typeof value === "boolean")
                return value;
            break;
        case "number": {
            const number = typeof value === "string" ? exactNumber(value) : value;
            if (isNumber(number))
                return checkedNumber(number, format, path);
            break;
        }
        case "any":
            return writeAny(value, format, path);
        case "list":
        case "set": {
            if (!isIterable(value))
                break;
            const all = Array.from(value, (one, index) => writeElement(one, type.element, format, [...path, index]));
            return type.kind === "set" ? ordered(all) : all;
        }
        case "tuple":
            if (!isIterable(value))
                break;
            return writeTuple(Array.from(value), type.elements, format, path);
        case "map":
            if (!(value instanceof Map) && !hasMembers(value))
                break;
            return writeEntries(entriesOf(value, path), path, (one, place) => writeElement(one, type.element, format, place));
        case "object":
            return writeObject(value, type.attributes, format, path);
    }
    throw new Unwritable(path, `${typeName(type)} is required, but this is ${jsName(value)}`);
}
function hasMembers(value) {
    return isRecord(value) && Object.prototype.toString.call(value) === "[object Object]";
}
function membersOf(value, path = []) {
    if (value === undefined || value === null)
        return {};
    if (hasMembers(value))
        return value;
    throw new Unwritable(path, `an object is required, but this is ${jsName(value)}${hintFor(value)}`);
}
function hintFor(value) {
    return value instanceof Map ? "; return Object.fromEntries(map)" : "";
}
function entriesOf(value, path) {
    const all = value instanceof Map ? [...value] : Object.entries(value);
    const entries = all.filter(([, one]) => one !== undefined).map(([key, one]) => {
        if (typeof key !== "string")
            throw new Unwritable(path, `the keys of a map must be strings, but one is ${jsName(key)}`);
        return [key, one];
    });
    return entries.sort(([a], [b]) => bytewise(a, b));
}
function writeEntries(entries, path, write) {
    const found = {};
    for (const [key, one] of entries)
        put(found, checkedText(key, path), write(one, [...path, key]));
    return found;
}
function writeElement(value, one, format, path) {
    const written = writeDeclared(value, one, format, path);
    if (written === null && mustBeThere(one)) {
        throw new Unwritable(path, `${typeName(one.type)} is required, but this is ${value === undefined ? "missing" : "null"}`);
    }
    return written;
}
function writeTuple(all, elements, format, path) {
    if (all.length !== elements.length) {
        throw new Unwritable(path, `a tuple of ${elements.length} elements is required, but this has ${all.length}`);
    }
    return elements.map((one, index) => writeElement(all[index], one, format, [...path, index]));
}
const namesInOrder = new WeakMap();
function sortedNames(attributes) {
    let names = namesInOrder.get(attributes);
    if (names === undefined)
        namesInOrder.set(attributes, names = Object.keys(attributes).sort(bytewise));
    return names;
}
function writeObject(given, attributes, format, path = []) {
    const value = membersOf(given, path);
    for (const name in value) {
        if (value[name] !== undefined && !Object.hasOwn(attributes, name)) {
            throw new Unwritable([...path, name], "the attribute is not declared");
        }
    }
    const found = {};
    for (const name of sortedNames(attributes)) {
        const one = attributes[name];
        const member = Object.hasOwn(value, name) ? value[name] : undefined;
        if ((member === undefined || member === null) && !isOptional(one) && one.nullable !== true && one.secret !== true &&
            one.block === undefined) {
            throw new Unwritable([...path, name], "the attribute is required, but it is missing");
        }
        put(found, name, writeDeclared(member, one, format, [...path, name]));
    }
    return found;
}
function writeAny(value, format, path) {
    if (value instanceof Typed) {
        const written = writeDeclared(value.value, { type: value.type, nullable: true }, format, path);
        return format === "json" || value.type.kind === "any" ? written : [typeBytes(value.type), written];
    }
    const plain = writeImplied(value, format, path);
    if (format === "json" || plain === null || isUnknown(plain))
        return plain;
    return [typeBytes(impliedType(plain)), plain];
}
function writeImplied(given, format, path) {
    const value = revealed(given);
    if (value === undefined || value === null)
        return null;
    if (typeof value === "string")
        return checkedText(value, path);
    if (typeof value === "boolean")
        return value;
    if (isNumber(value))
        return checkedNumber(value, format, path);
    if (isUnknown(value)) {
        if (format === "json") {
            throw new Unwritable(path, "the value is not known yet, and this host has no unknown values");
        }
        return value;
    }
    if (value instanceof Date)
        return dateText(value, path);
    if (path.length > DEEPEST) {
        throw new Unwritable(path.slice(0, 3), `the value is nested more than ${DEEPEST} levels deep, or contains itself`);
    }
    if (isIterable(value))
        return Array.from(value, (one, index) => writeImplied(one, format, [...path, index]));
    if (!(value instanceof Map) && !hasMembers(value)) {
        throw new Unwritable(path, `a value is required, but this is ${jsName(value)}`);
    }
    return writeEntries(entriesOf(value, path), path, (one, place) => writeImplied(one, format, place));
}
function impliedType(plain) {
    if (typeof plain === "string")
        return { kind: "string" };
    if (typeof plain === "boolean")
        return { kind: "bool" };
    if (isNumber(plain))
        return { kind: "number", as: "exact" };
    if (Array.isArray(plain))
        return { kind: "tuple", elements: plain.map((one) => ({ type: impliedType(one) })) };
    if (!isRecord(plain))
        return { kind: "any" };
    const attributes = {};
    for (const name in plain)
        put(attributes, name, { type: impliedType(plain[name]) });
    return { kind: "object", attributes };
}
function typeBytes(type) {
    return encoder.encode(JSON.stringify(typeJson(type)).replace(/[<>&\u2028\u2029]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`));
}
function isNumber(value) {
    return typeof value === "number" || typeof value === "bigint" || isBig(value);
}
function dateText(date, path) {
    if (Number.isNaN(date.getTime()))
        throw new Unwritable(path, "the date is invalid");
    return date.toISOString();
}
function checkedText(text, path) {
    if (HALF_PAIR.test(text))
        throw new Unwritable(path, "the text has half a surrogate pair, which is not UTF-8");
    return text.normalize("NFC");
}
function checkedNumber(number, format, path) {
    if (Number.isNaN(number))
        throw new Unwritable(path, "NaN is not a number");
    if (format === "json" && (number === Infinity || number === -Infinity)) {
        throw new Unwritable(path, "an infinite number cannot be written as JSON");
    }
    return number;
}
function isIterable(value) {
    return Array.isArray(value) || value instanceof Set;
}
function ordered(all) {
    const seen = new Map();
    let unknowns = 0;
    for (const one of all) {
        if (isUnknown(one))
            seen.set(`?${unknowns += 1}`, one);
        else
            seen.set(canonical(one), one);
    }
    const rank = (one) => (one === null ? 2 : isUnknown(one) ? 1 : 0);
    return [...seen].sort(([x, a], [y, b]) => rank(a) - rank(b) || compared(a, b) || bytewise(x, y)).map(([, one]) => one);
}
function compared(a, b) {
    if (typeof a === "string" && typeof b === "string")
        return bytewise(a, b);
    if (isNumber(a) && isNumber(b)) {
        const [x, y] = [isBig(a) ? a.toNumber() : a, isBig(b) ? b.toNumber() : b];
        return x < y ? -1 : x > y ? 1 : 0;
    }
    return Number(a === true) - Number(b === true);
}
function canonical(value) {
    if (value === undefined || value === null)
        return "null";
    if (isNumber(value))
        return decimalText(value);
    if (typeof value === "string")
        return JSON.stringify(value);
    if (isUnknown(value)) {
        return `?${JSON.stringify(value.refinement, (_, one) => (isNumber(one) ? decimalText(one) : one))}`;
    }
    if (isSecret(value))
        return canonical(value.reveal());
    if (value instanceof Uint8Array)
        return `0x${Array.from(value, (byte) => byte.toString(16)).join()}`;
    if (value instanceof Set)
        return `[${[...value].map(canonical).sort().join()}]`;
    if (value instanceof Map)
        return canonical(Object.fromEntries(value));
    if (Array.isArray(value))
        return `[${value.map(canonical).join()}]`;
    if (!isRecord(value))
        return String(value);
    const names = Object.keys(value).filter((name) => value[name] !== undefined && value[name] !== null).sort();
    return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join()}}`;
}
function jsName(value) {
    if (Array.isArray(value) || value instanceof Set)
        return "a list";
    if (isNumber(value))
        return "a number";
    if (typeof value === "boolean")
        return "a bool";
    if (typeof value === "string" || typeof value === "function")
        return `a ${typeof value}`;
    if (typeof value !== "object" || value === null)
        return String(value);
    const kind = Object.prototype.toString.call(value).slice("[object ".length, -1);
    return kind === "Object" ? "an object" : `${/^[AEIO]/.test(kind) ? "an" : "a"} ${kind}`;
}

// define/offer
function offerOf({ name, version, parts }) {
    const each = (all, made) => Object.fromEntries([...all].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, part]) => [key, made(part, key)]));
    return {
        name,
        version,
        ...(parts.maxInFlight === undefined ? {} : { max_in_flight: parts.maxInFlight }),
        config: schema("the configuration", parts.config.attributes, {}, {}),
        actions: each(parts.actions, (one, key) => ({
            ...text("description", one.description),
            ...(one.isIdempotent ? { idempotent: true } : {}),
            attributes: schema(`action ${key}`, one.body.attributes, {}, {}).attributes,
            outputs: typeText({ kind: "object", attributes: one.outputs }),
        })),
        functions: each(parts.functions, functionSchema),
        resources: each(parts.resources, (one, key) => ({
            ...(one.version === 0 ? {} : { version: one.version }),
            ...schema(`resource ${key}`, one.body.attributes, { id: ID, ...one.state }, one),
        })),
        data_sources: each(parts.dataSources, (one, key) => schema(`data source ${key}`, one.body.attributes, one.result, one)),
        ephemeral: each(parts.ephemerals, (one, key) => schema(`ephemeral resource ${key}`, one.body.attributes, one.result, one)),
        hooks: [...parts.hooks.keys()].sort(),
        storage: [...parts.storage.keys()].sort(),
    };
}
const ID = { type: { kind: "string" }, stable: true, description: "The id of the resource." };
function text(name, value) {
    return (value === undefined || value === "" ? {} : { [name]: value });
}
function schema(place, given, returned, about) {
    const names = [...new Set([...Object.keys(given), ...Object.keys(returned)])].sort();
    const attributes = {};
    const blocks = {};
    for (const name of names) {
        const one = given[name] ?? returned[name];
        const at = `${place}, attribute ${name}`;
        if (one.block !== undefined)
            blocks[name] = blockSchema(at, one);
        else
            attributes[name] = attribute(at, given[name], returned[name]);
    }
    return {
        ...text("description", about.description),
        ...text("deprecation", about.deprecated),
        attributes,
        ...(Object.keys(blocks).length === 0 ? {} : { blocks }),
    };
}
function attribute(place, given, returned) {
    const one = given ?? returned;
    if (returned?.writeOnly === true)
        throw new TypeError(`${place}: what a plugin returns cannot be write-only`);
    if (one.default !== undefined && one.writeOnly === true) {
        throw new TypeError(`${place}: a write-only attribute has no default`);
    }
    const isComputed = returned !== undefined;
    const presence = given === undefined
        ? { computed: true }
        : isOptional(given) || isComputed || given.nullable === true
            ? { optional: true, ...(isComputed ? { computed: true } : {}) }
            : { required: true };
    return {
        type: typeText(one.type),
        ...presence,
        ...defaultOf(place, given),
        ...((given?.secret ?? false) || (returned?.secret ?? false) ? { sensitive: true } : {}),
        ...(one.writeOnly === true ? { write_only: true } : {}),
        ...(one.replaces === true ? { replace: true } : {}),
        ...(returned?.stable === true || one.stable === true ? { stable: true } : {}),
        ...text("description", one.description),
        ...text("deprecation", one.deprecated),
    };
}
function defaultOf(place, one) {
    if (one?.default === undefined)
        return {};
    try {
        const written = writeDeclared(one.default, one, "json");
        readValue(written, one, CTY_READING);
        return { default: written };
    }
    catch (error) {
        const problem = error instanceof Unfit ? problemsText(error.problems) : error.message;
        throw new TypeError(`${place}: the default does not fit: ${problem}`);
    }
}
function blockSchema(place, one) {
    const { nesting, ...bounds } = one.block;
    const inner = one.type.kind === "object"
        ? one.type
        : one.type.kind === "list" || one.type.kind === "set" || one.type.kind === "map"
            ? one.type.element.type
            : one.type;
    const { attributes, blocks } = schema(place, inner.kind === "object" ? inner.attributes : {}, {}, {});
    return {
        nesting,
        ...bounds,
        attributes,
        ...(blocks === undefined ? {} : { blocks }),
        ...text("description", one.description),
        ...text("deprecation", one.deprecated),
    };
}
function functionSchema(one, key) {
    const place = `function ${key}`;
    const parameters = Object.entries(one.body.attributes).map(([name, parameter]) => offeredParameter(place, name, parameter));
    let optional;
    for (const parameter of parameters) {
        if (parameter.optional || parameter.default !== undefined)
            optional = parameter.name;
        else if (optional !== undefined) {
            throw new TypeError(`${place}: the parameter ${optional} can be left out, so it must come after ${parameter.name}`);
        }
    }
    if (one.variadic !== undefined && optional !== undefined) {
        throw new TypeError(`${place}: optional parameters cannot be combined with a variadic one`);
    }
    return {
        ...text("summary", one.summary),
        ...text("description", one.description),
        ...text("deprecation", one.deprecated),
        parameters,
        ...(one.variadic === undefined
            ? {}
            : { variadic: offeredParameter(place, one.variadic.name, one.variadic.element) }),
        returns: typeText(one.returns.type),
        ...(holdsSecret(one.returns) ? { sensitive: true } : {}),
    };
}
function offeredParameter(place, name, one) {
    const given = defaultOf(`${place}, parameter ${name}`, one);
    const canBeLeftOut = one.optional === true || given.default !== undefined;
    return {
        name,
        type: typeText(one.type),
        ...text("description", one.description),
        ...(one.optional === true && given.default === undefined ? { optional: true } : {}),
        ...given,
        ...(one.nullable === true && !canBeLeftOut ? { allow_null: true } : {}),
        ...(one.allowUnknown === true ? { allow_unknown: true } : {}),
    };
}

// values/awaitable
function proceed(value, next) {
    return isPromise(value) ? Promise.resolve(value).then(next) : next(value);
}
function allOf(values) {
    return values.some(isPromise) ? Promise.all(values) : values;
}
function isPromise(value) {
    return typeof value === "object" && value !== null && typeof value.then === "function";
}

// define/json_schema
const DEEPEST_SCHEMA = 32;
function declarationOfJsonSchema(json, place, root = json, depth = 0) {
    if (depth > DEEPEST_SCHEMA || typeof json !== "object" || json === null)
        return { type: { kind: "any" } };
    const schema = json;
    const reference = schema["$ref"];
    if (typeof reference === "string")
        return declarationOfJsonSchema(resolved(reference, root), place, root, depth + 1);
    const texts = {
        ...(typeof schema["description"] === "string" ? { description: schema["description"] } : {}),
        ...(schema["default"] !== undefined && schema["default"] !== null ? { default: schema["default"] } : {}),
    };
    const choices = (schema["anyOf"] ?? schema["oneOf"]);
    if (Array.isArray(choices)) {
        const others = choices.filter((one) => one?.["type"] !== "null");
        const nullable = others.length < choices.length ? { nullable: true } : {};
        const found = others.map((one) => declarationOfJsonSchema(one, place, root, depth + 1));
        const [first] = found;
        const isOne = first !== undefined && found.every((one) => one.type.kind === first.type.kind) &&
            (found.length === 1 || isScalar(first.type));
        const { choices: _, ...one } = isOne ? first : { type: { kind: "any" } };
        return { ...one, ...choicesOfAll(isOne ? found : []), ...texts, ...nullable };
    }
    const named = schema["type"];
    const kinds = Array.isArray(named) ? named.filter((one) => one !== "null") : [named];
    const nullable = Array.isArray(named) && kinds.length < named.length ? { nullable: true } : {};
    const type = kinds.length === 1 ? typeOf(kinds[0], schema, place, root, depth) : { kind: "any" };
    const values = constants(schema).filter((one) => one !== null);
    const constant = values.length > 0 && isScalar(type) ? { choices: values } : {};
    return { ...texts, ...nullable, ...constant, type };
}
function choicesOfAll(all) {
    const choices = all.flatMap((one) => one.choices ?? []);
    return choices.length > 0 && all.every((one) => one.choices !== undefined) ? { choices } : {};
}
function isScalar(type) {
    return type.kind === "string" || type.kind === "number" || type.kind === "bool";
}
function resolved(reference, root) {
    let found = root;
    for (const step of reference.replace(/^#\/?/, "").split("/").filter((one) => one !== "")) {
        found = found?.[step.replaceAll("~1", "/").replaceAll("~0", "~")];
    }
    return found;
}
function typeOf(kind, schema, place, root, depth) {
    const inner = (json) => declarationOfJsonSchema(json, place, root, depth + 1);
    switch (kind ?? constantKind(schema)) {
        case "string":
            return { kind: "string" };
        case "number":
            return { kind: "number", as: "number" };
        case "integer":
            return { kind: "number", as: "integer" };
        case "boolean":
            return { kind: "bool" };
        case "array": {
            const elements = schema["prefixItems"];
            if (Array.isArray(elements)) {
                if (typeof schema["items"] === "object")
                    return { kind: "any" };
                return { kind: "tuple", elements: elements.map(inner) };
            }
            return { kind: schema["uniqueItems"] === true ? "set" : "list", element: inner(schema["items"]) };
        }
        case "object":
            return objectType(schema, inner);
        default:
            return { kind: "any" };
    }
}
function constants(schema) {
    return "const" in schema ? [schema["const"]] : Array.isArray(schema["enum"]) ? schema["enum"] : [];
}
function constantKind(schema) {
    const kinds = new Set(constants(schema).map((one) => typeof one));
    return kinds.size === 1 ? [...kinds][0] : undefined;
}
function objectType(schema, inner) {
    const properties = (schema["properties"] ?? {});
    const others = schema["additionalProperties"];
    const names = Object.keys(properties);
    if (names.length === 0 && typeof others === "object")
        return { kind: "map", element: inner(others) };
    const required = Array.isArray(schema["required"]) ? schema["required"] : [];
    const attributes = {};
    for (const name of names) {
        const one = inner(properties[name]);
        put(attributes, name, required.includes(name) || one.default !== undefined ? one : { ...one, optional: true });
    }
    return { kind: "object", attributes };
}
function jsonSchemaOfObject(attributes, isOutput = false) {
    const properties = {};
    for (const [name, one] of Object.entries(attributes))
        put(properties, name, jsonSchemaOfDeclaration(one, isOutput));
    const required = Object.keys(attributes).filter((name) => {
        const one = attributes[name];
        return !isOptional(one) && (one.block === undefined || (one.block.min ?? 0) > 0);
    }).sort();
    return { type: "object", properties, ...(required.length > 0 ? { required } : {}), additionalProperties: false };
}
function jsonSchemaOfDeclaration(one, isOutput = false) {
    const schema = jsonSchemaOfType(one.type, isOutput);
    if (one.description !== undefined && one.description !== "")
        schema["description"] = one.description;
    if (!isOutput)
        Object.assign(schema, defaultOf("the JSON Schema", one));
    const isNullable = one.nullable === true || isOptional(one) && (isOutput || one.default === undefined) ||
        isOutput && one.secret === true;
    if (isNullable && typeof schema["type"] === "string")
        schema["type"] = [schema["type"], "null"];
    if (one.choices !== undefined)
        schema["enum"] = isNullable ? [...one.choices, null] : one.choices;
    return schema;
}
function jsonSchemaOfType(type, isOutput) {
    switch (type.kind) {
        case "string":
            return { type: "string" };
        case "bool":
            return { type: "boolean" };
        case "number":
            return { type: type.as === "integer" || type.as === "bigint" ? "integer" : "number" };
        case "any":
            return {};
        case "list":
            return { type: "array", items: jsonSchemaOfDeclaration(type.element, isOutput) };
        case "set":
            return { type: "array", items: jsonSchemaOfDeclaration(type.element, isOutput), uniqueItems: true };
        case "map":
            return { type: "object", additionalProperties: jsonSchemaOfDeclaration(type.element, isOutput) };
        case "tuple": {
            const prefixItems = type.elements.map((one) => jsonSchemaOfDeclaration(one, isOutput));
            return { type: "array", prefixItems, minItems: prefixItems.length, maxItems: prefixItems.length };
        }
        case "object":
            return jsonSchemaOfObject(type.attributes, isOutput);
    }
}

// define/zod
const DEEPEST_ZOD = 32;
function isZod(schema) {
    return schema["~standard"].vendor === "zod" && definition(schema) !== undefined;
}
function definition(schema) {
    const { _zod, _def } = (schema ?? {});
    return _zod?.def ?? _def;
}
function kindOf(def) {
    const name = (def["typeName"] ?? def["type"] ?? "");
    return name.replace(/^Zod/, "").toLowerCase();
}
function declarationOfZod(schema, place, direction, depth = 0) {
    const def = definition(schema);
    if (def === undefined || depth > DEEPEST_ZOD)
        return { type: { kind: "any" } };
    const description = descriptionOf(schema);
    const found = { ...ofDefinition(def, schema, place, direction, depth), ...markersOf(schema) };
    return description === undefined ? found : { ...found, description };
}
const MARKERS = ["secret", "writeOnly", "replaces", "stable", "allowUnknown", "idempotencyKey"];
function markersOf(schema) {
    const { meta } = schema;
    const said = (typeof meta === "function" ? meta.call(schema) : undefined);
    if (said === undefined)
        return {};
    const markers = MARKERS.filter((name) => said[name] === true).map((name) => [name, true]);
    return {
        ...Object.fromEntries(markers),
        ...(said["secret"] === true || said["writeOnly"] === true ? { isBare: true } : {}),
        ...(typeof said["deprecated"] === "string" ? { deprecated: said["deprecated"] } : {}),
    };
}
function descriptionOf(schema) {
    const { description } = schema;
    return typeof description === "string" ? description : undefined;
}
const NEVER_SENT = {
    date: "z.coerce.date()",
    map: "z.record(z.string(), ...)",
    symbol: "z.string()",
    function: "z.string()",
    promise: "the schema inside it",
    nan: "z.number()",
    file: "z.string()",
};
function ofDefinition(def, schema, place, direction, depth) {
    const inner = (one, way = direction) => declarationOfZod(one, place, way, depth + 1);
    const kind = kindOf(def);
    const instead = Object.hasOwn(NEVER_SENT, kind) && def["coerce"] !== true ? NEVER_SENT[kind] : undefined;
    if (instead !== undefined && direction === "given") {
        throw new TypeError(`${place}: no host can send what z.${kind}() accepts; use ${instead}`);
    }
    switch (kind) {
        case "optional":
        case "exactoptional":
            return { ...inner(def["innerType"]), optional: true };
        case "default":
        case "prefault": {
            const given = def["defaultValue"];
            return { ...inner(def["innerType"]), default: typeof given === "function" ? given() : given };
        }
        case "nullable":
            return { ...inner(def["innerType"]), nullable: true };
        case "catch":
            return { ...inner(def["innerType"], "converted"), optional: true };
        case "readonly":
        case "nonoptional":
            return inner(def["innerType"]);
        case "branded":
            return inner(def["type"]);
        case "effects": {
            const effect = def["effect"];
            return inner(def["schema"], effect?.type === "preprocess" ? "converted" : direction);
        }
        case "pipe":
        case "pipeline": {
            const input = definition(def["in"]);
            const isConverted = input !== undefined && kindOf(input) === "transform";
            return isConverted ? inner(def["out"], "converted") : inner(def["in"]);
        }
        case "lazy":
            return { type: { kind: "any" } };
        case "intersection":
            return intersected(inner(def["left"]), inner(def["right"]));
        case "union": {
            const all = def["options"];
            const kinds = all.map((one) => kindOf(definition(one) ?? {}));
            const options = all.filter((_, index) => kinds[index] !== "null" && kinds[index] !== "undefined")
                .map((one) => inner(one, "converted"));
            const type = unionType(options);
            return {
                type,
                ...(type.kind === "any" ? {} : choicesOfAll(options)),
                ...(kinds.includes("null") || options.some((one) => one.nullable === true) ? { nullable: true } : {}),
                ...(kinds.includes("undefined") || options.some((one) => one.optional === true) ? { optional: true } : {}),
            };
        }
        case "any":
        case "unknown":
        case "null":
            return { type: { kind: "any" }, nullable: true };
        default: {
            const type = kind === "date" ? dateType(def, direction) : typeOfZod(def, schema, inner);
            const choices = type.kind === "any" ? [] : choicesOfZod(def);
            return choices.length === 0 ? { type } : { type, choices };
        }
    }
}
function dateType(def, direction) {
    return { kind: direction === (def["coerce"] === true ? "given" : "returned") ? "string" : "any" };
}
function intersected(a, b) {
    const { optional: _a, nullable: _n, ...left } = a;
    const { optional: _b, nullable: _m, choices: others, ...right } = b;
    const choices = left.choices?.filter((one) => others?.includes(one) ?? true) ?? others;
    return {
        ...left,
        ...right,
        ...(choices === undefined ? {} : { choices }),
        ...(a.optional === true && b.optional === true ? { optional: true } : {}),
        ...(a.nullable === true && b.nullable === true ? { nullable: true } : {}),
        type: intersectedType(a.type, b.type),
    };
}
function intersectedType(a, b) {
    if (a.kind !== b.kind)
        return { kind: "any" };
    if (a.kind === "number" && b.kind === "number")
        return a.as === "integer" ? a : b;
    if (a.kind !== "object" || b.kind !== "object")
        return a.kind === "string" || a.kind === "bool" ? a : { kind: "any" };
    const attributes = { ...a.attributes };
    for (const [name, one] of Object.entries(b.attributes)) {
        const other = Object.hasOwn(attributes, name) ? attributes[name] : undefined;
        put(attributes, name, other === undefined ? one : intersected(other, one));
    }
    return { kind: "object", attributes };
}
function typeOfZod(def, schema, inner) {
    switch (kindOf(def)) {
        case "string":
        case "enum":
        case "nativeenum":
        case "templateliteral":
        case "template_literal":
            return choicesOfZod(def).length > 0 ? literalType(choicesOfZod(def)) : { kind: "string" };
        case "number":
        case "int":
            return { kind: "number", as: isWhole(def, schema) ? "integer" : "number" };
        case "bigint":
            return { kind: "number", as: "bigint" };
        case "boolean":
            return { kind: "bool" };
        case "literal":
            return literalType(choicesOfZod(def));
        case "array":
            return { kind: "list", element: elementOfZod(inner(def["element"] ?? def["type"])) };
        case "set":
            return { kind: "set", element: elementOfZod(inner(def["valueType"])) };
        case "record":
            return { kind: "map", element: elementOfZod(inner(def["valueType"])) };
        case "tuple":
            if ((def["rest"] ?? null) !== null)
                return { kind: "any" };
            return { kind: "tuple", elements: def["items"].map((one) => elementOfZod(inner(one))) };
        case "object": {
            const others = othersOfZod(def);
            const shape = def["shape"];
            const members = (typeof shape === "function" ? shape() : shape);
            const attributes = {};
            const names = Object.keys(members);
            if (others !== undefined) {
                const element = others === null ? { type: { kind: "any" } } : elementOfZod(inner(others));
                return names.length === 0 && element.type.kind !== "any" ? { kind: "map", element } : { kind: "any" };
            }
            for (const name of names)
                put(attributes, name, inner(members[name]));
            return { kind: "object", attributes };
        }
        default:
            return { kind: "any" };
    }
}
function othersOfZod(def) {
    const catchall = definition(def["catchall"]);
    if (catchall !== undefined && kindOf(catchall) !== "never")
        return def["catchall"];
    return def["unknownKeys"] === "passthrough" ? null : undefined;
}
function elementOfZod(one) {
    return one.optional === true ? { ...one, optional: false, nullable: true } : one;
}
function isWhole(def, schema) {
    if (schema.isInt === true)
        return true;
    const checks = def["checks"];
    return Array.isArray(checks) &&
        checks.some((one) => {
            const format = one.def?.["format"] ?? one._zod?.def?.["format"];
            return one.kind === "int" || format === "safeint" || format === "int32" || format === "uint32";
        });
}
function choicesOfZod(def) {
    if (kindOf(def) === "literal")
        return (def["values"] ?? [def["value"]]);
    const values = def["entries"] ?? def["values"];
    if (typeof values !== "object" || values === null)
        return [];
    const entries = Object.entries(values).filter(([, one]) => typeof values[String(one)] !== "number");
    return [...new Set(entries.map(([, one]) => one))];
}
function literalType(values) {
    const kinds = new Set(values.map((one) => typeof one));
    if (kinds.size !== 1)
        return { kind: "any" };
    switch ([...kinds][0]) {
        case "string":
            return { kind: "string" };
        case "number":
            return { kind: "number", as: "number" };
        case "boolean":
            return { kind: "bool" };
        default:
            return { kind: "any" };
    }
}
function unionType(options) {
    const [first] = options;
    if (first === undefined)
        return { kind: "any" };
    const isSame = options.every((one) => one.type.kind === first.type.kind);
    return isSame && ["string", "number", "bool"].includes(first.type.kind) ? first.type : { kind: "any" };
}

// define/standard
function isStandard(value) {
    return (typeof value === "object" || typeof value === "function") && value !== null && "~standard" in value;
}
function bodyOf(parameters, place, direction) {
    if (parameters === undefined)
        return { attributes: {} };
    if (!isStandard(parameters))
        return { attributes: declarations(parameters) };
    const { type } = declarationOf(parameters, place, direction);
    if (type.kind !== "object") {
        throw new TypeError(`${place}: the schema of an object with fixed attributes is required; a loose object, a record or a union has none`);
    }
    return { attributes: type.attributes, schema: parameters };
}
function declarationOf(given, place, direction) {
    if (isField(given))
        return given.declaration;
    if (!isStandard(given)) {
        throw new TypeError(`${place}: a field such as string(), or a schema of zod or another library is required`);
    }
    if (isZod(given))
        return declarationOfZod(given, place, direction);
    const json = jsonSchemaOf(given);
    if (json === undefined) {
        throw new TypeError(`${place}: the schema of ${given["~standard"].vendor} has no JSON Schema; declare it with fields such as string()`);
    }
    return declarationOfJsonSchema(json, place);
}
function jsonSchemaOf(schema) {
    const standard = schema["~standard"];
    if (typeof standard.jsonSchema?.input === "function")
        return standard.jsonSchema.input({ target: "draft-2020-12" });
    for (const name of ["toJsonSchema", "toJSONSchema"]) {
        const make = schema[name];
        if (typeof make === "function")
            return make.call(schema);
    }
    return undefined;
}
function validated(body, given) {
    return body.schema === undefined ? given : proceed(body.schema["~standard"].validate(given), accepted);
}
function accepted(result) {
    if (result.issues === undefined)
        return result.value;
    const problems = result.issues.map(({ message, path }) => ({
        path: (path ?? []).map((step) => (typeof step === "object" ? step.key : step)).map((key) => (typeof key === "number" ? key : String(key))),
        text: message,
    }));
    if (problems.length === 0)
        throw new Failure("the schema refused the value without a reason");
    throw new Unfit(problems);
}

// define/session
const SHUTDOWN_LIMIT = 5000;
class Unconfigured extends Error {
    reason;
    constructor(reason) {
        super(reason === "ended" ? "the plugin has been shut down" : "the plugin is already configured");
        this.reason = reason;
    }
}
class Session {
    plugin;
    parts;
    #stage;
    #state;
    #configuring = Promise.resolve();
    givenConfig;
    constructor(plugin) {
        this.plugin = plugin;
        this.parts = plugin.parts;
        this.#stage = plugin.parts.configure === undefined ? "ready" : "waiting";
    }
    get stage() {
        return this.#stage;
    }
    configure(given, reading) {
        const attempt = this.#configuring.then(() => this.#configure(given, reading));
        this.#configuring = attempt.catch(() => undefined);
        return attempt;
    }
    async #configure(given, reading) {
        this.givenConfig = given;
        const read = readObject(given, this.parts.config.attributes, reading);
        if (this.#stage === "ended")
            throw new Unconfigured("ended");
        if (this.parts.configure === undefined)
            return;
        if (this.#stage === "ready")
            throw new Unconfigured("twice");
        const config = await validated(this.parts.config, read);
        this.#state = await this.parts.configure(config);
        this.#stage = "ready";
    }
    defer() {
        if (this.#stage === "waiting")
            this.#stage = "deferred";
    }
    async state() {
        if (this.#stage === "ready")
            return this.#state;
        await this.#configuring;
        if (this.#stage === "waiting") {
            try {
                await this.configure({}, JSON_READING);
            }
            catch (error) {
                if (error instanceof Unfit) {
                    throw new Failure(`the plugin needs a configuration, which this host cannot provide: ${problemsText(error.problems)}`);
                }
                if (!(error instanceof Unconfigured))
                    throw error;
            }
        }
        return this.current;
    }
    get current() {
        switch (this.#stage) {
            case "ready":
                return this.#state;
            case "waiting":
                throw new Failure("the plugin needs a configuration, and is not configured yet");
            case "deferred":
                throw new Failure("the configuration of the plugin has values that are known only after apply; apply what they depend on first");
            case "ended":
                throw new Failure("the plugin has been shut down");
        }
    }
    stateOnDemand() {
        if (this.#stage !== "ready")
            return () => this.current;
        const state = this.#state;
        return () => state;
    }
    defaultStateOnDemand() {
        if (this.#stage !== "waiting")
            return this.stateOnDemand();
        return this.state().then((state) => () => state, (error) => () => {
            throw error;
        });
    }
    async shutDown() {
        const before = this.#stage;
        this.#stage = "ended";
        if (before === "ready")
            await this.parts.shutdown?.(this.#state);
    }
    async abandon() {
        let timer;
        const limit = new Promise((resolve) => {
            timer = setTimeout(resolve, SHUTDOWN_LIMIT);
        });
        try {
            await Promise.race([this.shutDown(), limit]);
        }
        catch (error) {
            console.error(error);
        }
        clearTimeout(timer);
    }
    missing(kind, name, all) {
        const near = nearest(name, [...all]);
        const hint = near === undefined ? `the plugin offers ${this.summary()}` : `did you mean \`${near}\`?`;
        return `unknown ${kind} \`${name}\`; ${hint}`;
    }
    summary() {
        const kinds = [
            ["action", this.parts.actions],
            ["function", this.parts.functions],
            ["resource", this.parts.resources],
            ["data source", this.parts.dataSources],
            ["ephemeral resource", this.parts.ephemerals],
        ];
        const found = kinds
            .filter(([, all]) => all.size > 0)
            .map(([kind, all]) => `the ${kind}${all.size === 1 ? "" : "s"} ${[...all.keys()].sort().join(", ")}`);
        return found.length === 0 ? "nothing" : found.join(" and ");
    }
}

// hosts/masking
const MASK = "(sensitive)";
const SHORTEST = 4;
const isSecretDeclaration = (one) => one.secret === true || one.writeOnly === true;
function secretNames(parts) {
    const names = new Set();
    const add = (attributes) => {
        for (const [name, one] of Object.entries(attributes)) {
            if (isSecretDeclaration(one))
                names.add(name);
            addType(one.type);
        }
    };
    const addType = (type) => {
        if (type.kind === "object")
            add(type.attributes);
        else if ("element" in type)
            addType(type.element.type);
        else if ("elements" in type)
            type.elements.forEach((one) => addType(one.type));
    };
    add(parts.config.attributes);
    for (const call of [...parts.functions.values(), ...parts.actions.values()]) {
        add(call.body.attributes);
        const variadic = "variadic" in call ? call.variadic : undefined;
        if (variadic !== undefined && isSecretDeclaration(variadic.element))
            names.add(variadic.name);
    }
    for (const { body, state } of parts.resources.values())
        [body.attributes, state].forEach(add);
    for (const { body, result } of [...parts.dataSources.values(), ...parts.ephemerals.values()]) {
        [body.attributes, result].forEach(add);
    }
    return names;
}
const SECRET_MEMBERS = [
    "writeOnlyProps",
    "nextWriteOnlyProps",
    "sensitiveState",
    "currentSensitiveState",
    "sensitiveResult",
    "privateData",
];
function hideSecrets(session, value, ...given) {
    const names = new Set([...secretNames(session.parts), ...SECRET_MEMBERS, "private"]);
    const found = new Set();
    for (const one of [...given, session.givenConfig])
        learn(one, names, false, found);
    const texts = [...found].filter((text) => text.length >= SHORTEST).sort((a, b) => b.length - a.length);
    return texts.length === 0 ? value : hidden(value, texts);
}
function withoutSecrets(session, result, given) {
    if (!isRecord(result) || result["diagnostics"] === undefined)
        return result;
    return { ...result, diagnostics: hideSecrets(session, result["diagnostics"], given) };
}
function learn(value, names, isSecret, found) {
    if (Array.isArray(value))
        for (const inner of value)
            learn(inner, names, isSecret, found);
    else if (isRecord(value)) {
        for (const [name, inner] of Object.entries(value))
            learn(inner, names, isSecret || names.has(name), found);
    }
    else if (isSecret && (typeof value === "string" || typeof value === "number" || typeof value === "bigint" || isBig(value))) {
        const secret = value.toString();
        for (const text of [secret, secret.trim(), ...secret.split(/\r?\n/)])
            found.add(text).add(JSON.stringify(text).slice(1, -1));
    }
}
function hidden(value, texts) {
    if (typeof value === "string")
        return texts.reduce((text, secret) => text.replaceAll(secret, MASK), value);
    if (Array.isArray(value))
        return value.map((inner) => hidden(inner, texts));
    if (!isRecord(value))
        return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, hidden(inner, texts)]));
}

// hosts/run
async function withContext(session, call, reporter, run, stored) {
    const state = await session.state();
    const context = new Context(() => state, call, reporter, stored);
    try {
        return { value: await run(context), context };
    }
    finally {
        context.end();
    }
}
function functionArguments(part, given, reading) {
    const { variadic, body } = part;
    if (variadic === undefined)
        return validated(body, readObject(given, body.attributes, reading));
    const all = isRecord(given ?? {}) ? { ...given } : given;
    let rest = [];
    if (isRecord(all)) {
        const values = all[variadic.name] ?? [];
        delete all[variadic.name];
        if (!Array.isArray(values))
            throw new Unfit([{ path: [variadic.name], text: "a list is required" }]);
        rest = values.map((one, index) => readValue(one, variadic.element, reading, [variadic.name, index]));
    }
    const fixed = validated(body, readObject(all, body.attributes, reading));
    return proceed(fixed, (named) => ({ ...named, [variadic.name]: rest }));
}
function named(name, part, values) {
    const names = Object.keys(part.body.attributes);
    const given = Object.fromEntries(values.slice(0, names.length).map((value, index) => [names[index], value]));
    const rest = values.slice(names.length);
    const variadic = "variadic" in part ? part.variadic : undefined;
    if (variadic !== undefined)
        given[variadic.name] = rest;
    else if (rest.length > 0) {
        throw new Unfit([
            {
                path: [],
                text: `too many arguments: ${name} takes ${names.length}, but ${values.length} are given`,
            },
        ]);
    }
    return given;
}
function callFunction(session, part, given, call, reporter) {
    const state = part.run.length === 1 ? session.stateOnDemand() : session.defaultStateOnDemand();
    return proceed(state, (it) => runFunction(part, functionArguments(part, given, JSON_READING), "json", new Context(it, call, reporter)));
}
function runFunction(part, given, format, context) {
    const outcome = (value) => functionResult(value, part, format);
    return proceed(given, (read) => {
        let value;
        try {
            value = part.run(read, context);
            if (isPromise(value))
                return Promise.resolve(value).finally(() => context.end()).then(outcome);
        }
        finally {
            if (!isPromise(value))
                context.end();
        }
        return outcome(value);
    });
}
function functionResult(value, { returns }, format) {
    return written("the result", () => {
        const plain = revealed(value);
        if ((plain === undefined || plain === null) && mustBeThere(returns)) {
            const hint = "return a value, or declare the result as nullable";
            throw new Unwritable([], `${typeName(returns.type)} is required, but the function returned ${plain}; ${hint}`);
        }
        return writeDeclared(plain, returns, format);
    });
}
async function runAction(session, part, given, reading, call, reporter) {
    const read = await validated(part.body, readObject(given, part.body.attributes, reading));
    const { value } = await withContext(session, call, reporter, async (it) => {
        try {
            return await part.run(read, it);
        }
        catch (error) {
            if (!isMistake(error))
                throw error;
            const { message, detail } = asFailure(error);
            throw Failure.outcomeUnknown(message, { detail, cause: error });
        }
    });
    try {
        return writeObject(value, part.outputs, "json");
    }
    catch (error) {
        if (!(error instanceof Unwritable))
            throw error;
        throw Failure.outcomeUnknown(`the action was run, but its outputs do not match: ${error.message}`);
    }
}
function written(what, write) {
    try {
        return write();
    }
    catch (error) {
        if (error instanceof Unwritable) {
            throw new Failure(`${what} of the plugin does not match its declaration: ${error.message}`);
        }
        throw error;
    }
}
function printWarnings(session, call, given) {
    for (const warning of call.warnings?.splice(0) ?? []) {
        console.error(hideSecrets(session, diagnosticText(warning), given));
    }
}

// hosts/denobridge_values
function split(returned, attributes) {
    const plain = {};
    const secret = {};
    let hasSecret = false;
    for (const name in returned) {
        const isSecret = attributes[name]?.secret === true;
        put(isSecret ? secret : plain, name, returned[name]);
        if (isSecret && returned[name] !== null)
            hasSecret = true;
    }
    const state = Object.keys(plain).length === 0 ? null : plain;
    return hasSecret ? { state, sensitiveState: secret } : { state };
}
function storedProps(props, attributes) {
    const stored = Object.fromEntries(Object.entries(attributes).filter(([, one]) => one.writeOnly !== true));
    const members = Object.entries(written("the props", () => membersOf(props)));
    const given = Object.fromEntries(members.filter(([name]) => attributes[name]?.writeOnly !== true));
    const all = written("the props", () => writeObject(given, stored, "json"));
    return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null));
}
function settledProps(props, before, attributes) {
    const found = storedProps(props, attributes);
    if (!isRecord(before))
        return found;
    const meaning = (value, name) => canonical(readStored({ [name]: value }, { [name]: attributes[name] }));
    const same = (name) => {
        const [was, is] = [meaning(before[name], name), meaning(found[name], name)];
        return was === is;
    };
    const settled = {};
    for (const name in found) {
        if (Object.hasOwn(before, name) || !same(name))
            put(settled, name, same(name) ? before[name] : found[name]);
    }
    for (const name in before) {
        if (before[name] === null && attributes[name] !== undefined && !Object.hasOwn(found, name)) {
            put(settled, name, null);
        }
    }
    return settled;
}
function readStored(given, attributes, reading = JSON_READING) {
    try {
        return readObject(given, attributes, { ...reading, ignoreExtra: true });
    }
    catch (error) {
        if (!(error instanceof Unfit))
            throw error;
        return readObject(given, attributes, { ...reading, ignoreExtra: true, isPartial: true });
    }
}
function existingOf(part, id, props, plain, secret) {
    const state = { ...(isRecord(plain) ? plain : {}) };
    if (isRecord(secret)) {
        for (const name in secret)
            if (part.state[name]?.secret === true)
                put(state, name, secret[name]);
    }
    const hasState = isRecord(plain) || isRecord(secret);
    return {
        id: typeof id === "string" ? id : String(id ?? ""),
        ...(isRecord(props) ? { props: readStored(props, part.body.attributes) } : {}),
        ...(hasState ? { state: readStored(state, part.state) } : {}),
    };
}
function withUnknown(value, [first, ...rest]) {
    if (first === undefined)
        return unknown;
    if (Array.isArray(value))
        return value.map((one, index) => (String(index) === first ? withUnknown(one, rest) : one));
    if (!isRecord(value))
        return value;
    const found = { ...value };
    if (Object.hasOwn(found, first))
        put(found, first, withUnknown(found[first], rest));
    return found;
}
function decidedPlan(part, decision, current, next) {
    const { attributes } = part.body;
    const decided = isRecord(decision) ? decision : {};
    if (decided["replace"] === true)
        return { requiresReplacement: true };
    if (isRecord(decided["props"])) {
        const props = storedProps(decided["props"], attributes);
        return { modifiedProps: props, ...(isReplaced(current, props, attributes) ? { requiresReplacement: true } : {}) };
    }
    return isReplaced(current, next, attributes) ? { requiresReplacement: true } : { noChanges: true };
}
function isReplaced(current, next, attributes) {
    if (!isRecord(current))
        return false;
    if (isUnknown(next))
        return Object.values(attributes).some((one) => one.replaces === true);
    if (!isRecord(next))
        return false;
    return Object.entries(attributes).some(([name, one]) => {
        if (one.replaces !== true)
            return false;
        const value = (given) => {
            if (isUnknown(given))
                return given;
            try {
                return readValue(given, { ...one, optional: true }, { ...JSON_READING, allowUnknown: true });
            }
            catch {
                return given;
            }
        };
        const [before, after] = [value(current[name]), value(next[name])];
        return isUnknown(after) || canonical(before) !== canonical(after);
    });
}

// ipc/errors
const ErrorCode = {
    ParseError: -32700,
    InvalidRequest: -32600,
    MethodNotFound: -32601,
    InvalidParams: -32602,
    InternalError: -32603,
    ServerError: -32000,
    RequestCancelled: -32800,
};
class IpcError extends Error {
}
class RpcError extends IpcError {
    name = "RpcError";
    code;
    data;
    constructor(code, message, data) {
        super(message);
        this.code = code;
        this.data = data;
    }
    toJSON() {
        const { code, message, data } = this;
        return data === undefined ? { code, message } : { code, message, data };
    }
}
class ConnectionError extends IpcError {
    name = "ConnectionError";
    code;
    constructor(code, message, options) {
        super(message, options);
        this.code = code;
    }
}
class ConnectionFailed extends ConnectionError {
    static code = "CONNECT_FAILED";
    name = "ConnectionFailed";
}
class ListenFailed extends ConnectionError {
    static code = "LISTEN_FAILED";
    name = "ListenFailed";
}
class NotConnected extends ConnectionError {
    static code = "NOT_CONNECTED";
    name = "NotConnected";
}
class ConnectionLost extends ConnectionError {
    static code = "DISCONNECTED";
    name = "ConnectionLost";
}
class Refused extends ConnectionLost {
    static code = "REFUSED";
    name = "Refused";
}
class RequestTimeout extends ConnectionError {
    static code = "TIMEOUT";
    name = "RequestTimeout";
}
class MessageTooLarge extends ConnectionError {
    static code = "TOO_LARGE";
    name = "MessageTooLarge";
}
class InvalidMessage extends ConnectionError {
    static code = "INVALID_MESSAGE";
    name = "InvalidMessage";
}
class Aborted extends ConnectionError {
    static code = "ABORTED";
    name = "Aborted";
}
class Overloaded extends ConnectionError {
    static code = "OVERLOADED";
    name = "Overloaded";
}
const CLASSES = {
    CONNECT_FAILED: ConnectionFailed,
    LISTEN_FAILED: ListenFailed,
    NOT_CONNECTED: NotConnected,
    DISCONNECTED: ConnectionLost,
    REFUSED: Refused,
    TIMEOUT: RequestTimeout,
    TOO_LARGE: MessageTooLarge,
    INVALID_MESSAGE: InvalidMessage,
    ABORTED: Aborted,
    OVERLOADED: Overloaded,
};
function connectionError(code, message, options) {
    return new CLASSES[code](code, message, options);
}

// ipc/headers
const LINE_FEED = 0x0a;
const LONGEST_HEADERS = 8 * 1024;
const ZERO = 0x30;
const PLAIN_HEADER = Uint8Array.from("Content-Length: ", (letter) => letter.charCodeAt(0));
const HEADER_END = [0x0d, 0x0a, 0x0d, 0x0a];
const LONGEST_PLAIN_HEADER = PLAIN_HEADER.length + 10;
const HEADER = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*?)[ \t]*$/;
const headerDecoder = new TextDecoder();
const CHARSET = /charset\s*=\s*"?([^";\s]*)/i;
class HeaderReader {
    #limit;
    #sender;
    #queue = new ByteQueue();
    #headers = 0;
    #length;
    #isBody = false;
    constructor(limit, sender) {
        this.#limit = limit;
        this.#sender = sender;
    }
    *push(chunk) {
        this.#queue.push(chunk);
        for (;;) {
            if (!this.#isBody && !this.#readPlainHeader() && !this.#readHeaders())
                return;
            const length = this.#length ?? 0;
            if (this.#queue.length < length)
                return;
            const body = this.#queue.view.subarray(0, length);
            this.#queue.drop(length);
            this.#headers = 0;
            this.#length = undefined;
            this.#isBody = false;
            yield body;
        }
    }
    *finish() {
        if (this.#queue.length > 0 || this.#headers > 0 || this.#isBody) {
            throw broken("the connection ended in the middle of a message");
        }
    }
    #readPlainHeader() {
        if (this.#headers > 0)
            return false;
        const { view } = this.#queue;
        for (let at = 0; at < PLAIN_HEADER.length; at += 1)
            if (view[at] !== PLAIN_HEADER[at])
                return false;
        let length = 0;
        let end = PLAIN_HEADER.length;
        for (; end < LONGEST_PLAIN_HEADER; end += 1) {
            const digit = (view[end] ?? 0) - ZERO;
            if (digit < 0 || digit > 9)
                break;
            length = length * 10 + digit;
        }
        const isPlain = end > PLAIN_HEADER.length && HEADER_END.every((byte, index) => view[end + index] === byte);
        if (!isPlain || length > this.#limit)
            return false;
        this.#queue.drop(end + HEADER_END.length);
        this.#length = length;
        this.#isBody = true;
        return true;
    }
    #readHeaders() {
        for (;;) {
            const { view } = this.#queue;
            const end = view.indexOf(LINE_FEED);
            const bytes = end < 0 ? view.length : end + 1;
            if (this.#headers + bytes > LONGEST_HEADERS) {
                throw broken(`headers of more than ${LONGEST_HEADERS} bytes`);
            }
            if (end < 0)
                return false;
            const line = headerDecoder.decode(view.subarray(0, end)).replace(/\r$/, "");
            this.#queue.drop(bytes);
            if (line !== "") {
                this.#headers += bytes;
                this.#readHeader(line);
            }
            else if (this.#headers > 0) {
                if (this.#length === undefined)
                    throw broken("headers without Content-Length");
                this.#isBody = true;
                return true;
            }
        }
    }
    #readHeader(line) {
        const [, name, value = ""] = HEADER.exec(line) ?? [];
        if (name === undefined) {
            const problem = `"${line.slice(0, 80)}" is not a header`;
            throw broken(this.#sender === "server" ? `${problem}; does the server speak lines? Then set framing to "lines"` : problem);
        }
        switch (name.toLowerCase()) {
            case "content-length":
                this.#length = this.#readLength(value);
                break;
            case "content-type": {
                const charset = CHARSET.exec(value)?.[1]?.toLowerCase() ?? "utf-8";
                if (charset !== "utf-8" && charset !== "utf8")
                    throw broken(`the charset ${charset}`);
                break;
            }
        }
    }
    #readLength(value) {
        if (!/^[0-9]+$/.test(value))
            throw broken(`"${value.slice(0, 80)}" is not a Content-Length`);
        const length = Number(value);
        if (length <= this.#limit)
            return length;
        const problem = `the ${this.#sender} announces ${value} bytes, and ${this.#limit} are taken at most`;
        const hint = this.#sender === "host" ? "" : "; raise maxMessageBytes to take them";
        throw connectionError("TOO_LARGE", problem + hint);
    }
}
function broken(problem) {
    return connectionError("INVALID_MESSAGE", `Invalid message received: ${problem}`);
}

// ipc/lines
const LINE_END = 0x0a;
const BLANKS = [0x20, 0x09, 0x0d];
class LineReader {
    #limit;
    #sender;
    #queue = new ByteQueue();
    #searched = 0;
    constructor(limit, sender) {
        this.#limit = limit;
        this.#sender = sender;
    }
    *push(chunk) {
        this.#queue.push(chunk);
        for (;;) {
            const { view } = this.#queue;
            const end = view.indexOf(LINE_END, this.#searched);
            this.#check(end < 0 ? view.length : end);
            if (end < 0) {
                this.#searched = view.length;
                return;
            }
            this.#queue.drop(end + 1);
            this.#searched = 0;
            const line = view.subarray(0, end);
            if (!isBlank(line))
                yield line;
        }
    }
    *finish() {
        const { view } = this.#queue;
        if (!isBlank(view))
            yield view;
    }
    #check(length) {
        if (length <= this.#limit)
            return;
        const problem = `the ${this.#sender} sent a line of more than ${this.#limit} bytes`;
        throw connectionError("TOO_LARGE", this.#sender === "host" ? problem : `${problem}; raise maxMessageBytes to take it`);
    }
}
function isBlank(line) {
    return line.every((byte) => BLANKS.includes(byte));
}

// ipc/framing
function frameReader(framing, limit, sender = "server") {
    return framing === "headers" ? new HeaderReader(limit, sender) : new LineReader(limit, sender);
}
function frame(framing, text) {
    if (framing === "lines")
        return Buffer.from(`${text}\n`);
    return Buffer.from(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
}

// hosts/calls
const GOODBYE_LIMIT = 5000;
const MOST_CALLS = 1024;
class RunningCall {
    id;
    isMutating;
    isCancelled = false;
    warnings = [];
    onCancel;
    #controller;
    constructor(id, isMutating, onCancel) {
        this.id = id;
        this.isMutating = isMutating;
        this.onCancel = onCancel;
    }
    get signal() {
        this.#controller ??= new AbortController();
        if (this.isCancelled)
            this.#controller.abort();
        return this.#controller.signal;
    }
    cancel() {
        this.isCancelled = true;
        this.#controller?.abort();
    }
}
class RunningCalls {
    #calls = new Set();
    #output;
    #idle;
    constructor(output) {
        this.#output = output;
    }
    begin(id, isMutating, onCancel = () => undefined) {
        const call = new RunningCall(id, isMutating, onCancel);
        this.#calls.add(call);
        if (this.#calls.size === MOST_CALLS)
            this.#output.hold?.(true);
        return call;
    }
    end(call) {
        if (!this.#calls.delete(call))
            return;
        if (this.#calls.size === MOST_CALLS - 1)
            this.#output.hold?.(false);
        if (this.#calls.size === 0)
            this.#idle?.();
    }
    cancel(id) {
        for (const call of this.#calls) {
            if (call.id !== id || call.isMutating)
                continue;
            call.cancel();
            call.onCancel();
            this.end(call);
        }
    }
    async finished() {
        if (this.#calls.size === 0)
            return;
        let timer;
        await new Promise((resolve) => {
            this.#idle = resolve;
            timer = setTimeout(resolve, GOODBYE_LIMIT);
        });
        clearTimeout(timer);
        this.#idle = undefined;
        const late = this.#calls.size;
        if (late === 0)
            return;
        for (const call of this.#calls)
            call.cancel();
        console.error(`${late === 1 ? "a call was" : `${late} calls were`} still running ${GOODBYE_LIMIT / 1000} s after the end of the conversation`);
    }
}

// hosts/json_rpc
const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;
const INTERNAL_ERROR = -32603;
const FAILED = -32000;
const CANCELLED = -32800;
const LARGEST_MESSAGE = 64 * 1024 * 1024;
const LARGEST_BATCH = 1024;
class Fault extends Error {
    code;
    data;
    constructor(code, message, data) {
        super(message);
        this.code = code;
        this.data = data;
    }
}
class JsonRpcConversation {
    calls;
    #methods;
    #output;
    #framing;
    #frames;
    constructor(methods, output, framing = "lines") {
        this.#methods = methods;
        this.#output = output;
        this.calls = new RunningCalls(output);
        this.#framing = framing;
        this.#frames = frameReader(framing, LARGEST_MESSAGE, "host");
    }
    receive(chunk) {
        for (const frame of this.#frames.push(chunk))
            this.#message(frame);
    }
    async finish() {
        for (const frame of this.#frames.finish())
            this.#message(frame);
        await this.calls.finished();
        await new Promise((resolve) => setImmediate(resolve));
    }
    #send(text) {
        this.#output.write(this.#framing === "lines" ? `${text}\n` : `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
    }
    #message(frame) {
        let value;
        try {
            value = parseJson(utf8Text(frame));
        }
        catch {
            return this.#send(errorText(null, new Fault(PARSE_ERROR, "Parse error")));
        }
        if (Array.isArray(value))
            this.#batch(value);
        else {
            const answer = this.#one(value);
            if (answer === undefined)
                return;
            if (typeof answer === "string")
                this.#send(answer);
            else
                void answer.then((text) => text === undefined ? undefined : this.#send(text));
        }
    }
    #batch(messages) {
        if (messages.length === 0 || messages.length > LARGEST_BATCH) {
            const problem = messages.length === 0
                ? "a batch must not be empty"
                : `a batch has at most ${LARGEST_BATCH} messages`;
            return this.#send(errorText(null, new Fault(INVALID_REQUEST, "Invalid Request", problem)));
        }
        void Promise.all(messages.map((one) => this.#one(one))).then((answers) => {
            const texts = answers.filter((text) => text !== undefined);
            if (texts.length > 0)
                this.#send(`[${texts.join()}]`);
        });
    }
    #one(value) {
        if (!isRecord(value))
            return errorText(null, new Fault(INVALID_REQUEST, "Invalid Request"));
        const { jsonrpc, id, method, params } = value;
        const isId = id === undefined || id === null || typeof id !== "object" && typeof id !== "boolean";
        if (!isId || jsonrpc !== undefined && jsonrpc !== "2.0" ||
            method !== undefined && (typeof method !== "string" || method === "")) {
            return errorText(isId ? id ?? null : null, new Fault(INVALID_REQUEST, "Invalid Request"));
        }
        if (method === undefined) {
            if ("result" in value || "error" in value)
                return undefined;
            return errorText(id ?? null, new Fault(INVALID_REQUEST, "Invalid Request"));
        }
        if (id === undefined) {
            this.#methods.event(method, params, this.calls);
            return undefined;
        }
        return this.#answer(id, method, params ?? undefined);
    }
    #answer(id, method, params) {
        let cancelled = () => undefined;
        const call = this.calls.begin(id, this.#methods.isMutating(method, params), () => {
            const fault = new Fault(CANCELLED, "the call was cancelled");
            cancelled(this.#methods.isSilent === true ? undefined : errorText(id, fault));
        });
        const notify = (name, about) => this.#send(stringifyJson({ jsonrpc: "2.0", method: name, params: about }));
        const done = (text) => {
            this.calls.end(call);
            return call.isCancelled ? undefined : text;
        };
        const refused = (error) => {
            for (const warning of call.warnings.splice(0)) {
                const text = diagnosticText(warning);
                console.error(this.#methods.hide?.(text, method, params) ?? text);
            }
            const { code, message, data } = answeredFault(error);
            const texts = this.#methods.hide?.({ message, data }, method, params) ?? { message, data };
            return errorText(id, new Fault(code, texts.message, texts.data));
        };
        try {
            const result = this.#methods.request({ method, params, call, notify });
            if (!isPromise(result))
                return done(answerText(id, result));
            const answer = result.then((value) => answerText(id, value)).catch(refused).then(done);
            return new Promise((resolve) => {
                cancelled = resolve;
                void answer.then(resolve);
            });
        }
        catch (error) {
            return done(refused(error));
        }
    }
}
function answerText(id, result) {
    return `{"jsonrpc":"2.0","id":${stringifyJson(id)},"result":${stringifyJson(result ?? null)}}`;
}
function answeredFault(error) {
    return error instanceof Fault ? error : new Fault(INTERNAL_ERROR, error.message || "Internal error");
}
function errorText(id, { code, message, data }) {
    const error = data === undefined ? { code, message } : { code, message, data };
    return `{"jsonrpc":"2.0","id":${stringifyJson(id)},"error":${stringifyJson(error)}}`;
}

// hosts/denobridge_places
const PLAIN_CALL = { props: "props", writeOnly: "writeOnlyProps", state: "state", sensitive: "sensitiveState" };
const CHANGE_CALL = {
    props: "nextProps",
    writeOnly: "nextWriteOnlyProps",
    state: "currentState",
    sensitive: "currentSensitiveState",
};
const RESULT_CALL = { ...PLAIN_CALL, state: "result", sensitive: "sensitiveResult" };
function places(members, given, returned) {
    return (path) => {
        const [first = ""] = path;
        const one = given[first];
        const member = one !== undefined
            ? one.writeOnly === true ? members.writeOnly : members.props
            : returned[first] !== undefined
                ? returned[first]?.secret === true ? members.sensitive : members.state
                : members.props;
        return [member, ...path.map(String)];
    };
}
function located(diagnostics, place) {
    return diagnostics.map(({ severity, summary, detail, path }) => ({
        severity,
        summary,
        ...(detail === undefined || detail === "" ? {} : { detail }),
        ...(path === undefined ? {} : { propPath: place(path) }),
    }));
}
async function answered(place, call, work) {
    const { warnings } = call;
    try {
        const result = await work();
        return warnings.length === 0 ? result : { ...result, diagnostics: located(warnings, place) };
    }
    catch (error) {
        if (error instanceof Fault)
            throw error;
        if (isUnfit(error)) {
            const found = error.problems.map(({ path, text }) => ({
                severity: "error",
                summary: `invalid \`${place(path)[0]}\``,
                detail: path.length === 0 ? text : `${path.join(".")}: ${text}`,
                path,
            }));
            return { diagnostics: located([...found, ...warnings], place) };
        }
        const failure = asFailure(error);
        if (failure.path === undefined && failure.diagnostics.length === 0)
            throw new Fault(FAILED, failureText(failure));
        return { diagnostics: located([...failureDiagnostics(failure), ...warnings], place) };
    }
}

// hosts/denobridge
function answersDenobridge(method, parts) {
    const { actions, dataSources, ephemerals, functions, resources } = parts;
    switch (method) {
        case "health":
        case "shutdown":
            return true;
        case "create":
        case "update":
        case "delete":
        case "modifyPlan":
            return resources.size > 0;
        case "read":
            return resources.size + dataSources.size > 0;
        case "open":
        case "renew":
        case "close":
            return ephemerals.size > 0;
        case "invoke":
            return actions.size > 0;
        case "call":
            return functions.size > 0;
        default:
            return false;
    }
}
class DenobridgeMethods {
    #session;
    #goodbye;
    constructor(session, goodbye) {
        this.#session = session;
        this.#goodbye = goodbye;
    }
    isMutating(method) {
        return ["create", "update", "delete", "invoke", "open", "renew", "close"].includes(method);
    }
    event(method, params, calls) {
        if (method === "shutdown")
            this.#goodbye();
        if (method === "$/cancelRequest")
            calls.cancel(params?.id);
    }
    hide(value, method, params) {
        return hideSecrets(this.#session, value, this.#given(method, params));
    }
    #given(method, params) {
        if (method !== "call" || !isRecord(params))
            return params;
        const { name, arguments: values } = params;
        const part = this.#session.parts.functions.get(String(name));
        if (part === undefined || !Array.isArray(values))
            return params;
        const most = Object.keys(part.body.attributes).length;
        return named(String(name), part, part.variadic === undefined ? values.slice(0, most) : values);
    }
    request(request) {
        const given = this.#given(request.method, request.params);
        return proceed(this.#result(request), (result) => withoutSecrets(this.#session, result, given));
    }
    #result(request) {
        const params = request.params ?? {};
        if (!isRecord(params))
            throw new Fault(INVALID_PARAMS, `the params of ${request.method} must be an object`);
        switch (request.method) {
            case "health": {
                const { maxInFlight } = this.#session.parts;
                return maxInFlight === undefined ? { ok: true } : { ok: true, maxInFlight };
            }
            case "shutdown":
                queueMicrotask(() => setTimeout(this.#goodbye, 0));
                return {};
            case "create":
                return this.#create(params, request);
            case "read":
                return params["id"] === undefined || params["id"] === null
                    ? this.#look(params, request)
                    : this.#read(params, request);
            case "update":
                return this.#update(params, request);
            case "delete":
                return this.#delete(params, request);
            case "modifyPlan":
                return this.#modifyPlan(params, request);
            case "open":
            case "renew":
            case "close":
                return this.#ephemeral(request.method, params, request);
            case "invoke":
                return this.#invoke(params, request);
            case "call":
                return this.#call(params, request);
            default:
                throw new Fault(METHOD_NOT_FOUND, `Method not found: ${request.method}`, { method: request.method });
        }
    }
    #only(method, kind, all) {
        const [only, ...others] = [...all.values()];
        const { name } = this.#session.plugin;
        if (only === undefined) {
            throw new Fault(METHOD_NOT_FOUND, `Method not found: the plugin ${name} has no ${kind}; it offers ${this.#session.summary()}`, { method });
        }
        if (others.length > 0) {
            throw new Fault(FAILED, `the plugin ${name} has several ${kind}s (${[...all.keys()].sort().join(", ")}), and denobridge does not say which one it calls`);
        }
        return only;
    }
    #resource(method) {
        return this.#only(method, "resource", this.#session.parts.resources);
    }
    async #props(part, plain, secret) {
        const { attributes } = part.body;
        const all = isRecord(plain) ? { ...plain } : {};
        for (const name in all) {
            if (attributes[name]?.writeOnly === true && all[name] !== null) {
                throw Failure.at(name, `${JSON.stringify(name)} is write-only`, {
                    detail: `move it from \`props\` to \`write_only_props\`: ${name} is never stored`,
                });
            }
        }
        if (plain !== null && plain !== undefined && !isRecord(plain))
            readObject(plain, attributes, JSON_READING);
        if (isRecord(secret)) {
            for (const name in secret)
                if (attributes[name]?.writeOnly === true)
                    all[name] = secret[name];
        }
        return validated(part.body, readObject(all, attributes, JSON_READING));
    }
    #create(params, { call }) {
        const part = this.#resource("create");
        return answered(places(PLAIN_CALL, part.body.attributes, part.state), call, async () => {
            const props = await this.#props(part, params["props"], params["writeOnlyProps"]);
            const { value } = await withContext(this.#session, call, {}, (it) => part.handlers.create(props, it));
            const { id, state } = value;
            if (typeof id !== "string" || id === "")
                throw new Failure("create must return { id, state }; the id is missing");
            return { id, ...split(written("the state", () => writeObject(state, part.state, "json")), part.state) };
        });
    }
    #read(params, { call }) {
        const part = this.#resource("read");
        return answered(places(PLAIN_CALL, part.body.attributes, part.state), call, async () => {
            const given = params["props"];
            const props = isRecord(given) ? await this.#props(part, given, undefined) : undefined;
            const { value } = await withContext(this.#session, call, {}, (it) => part.handlers.read(String(params["id"]), props, it));
            if (value === null || value === undefined)
                return { exists: false };
            const state = split(written("the state", () => writeObject(value.state, part.state, "json")), part.state);
            return { props: settledProps(value.props, given, part.body.attributes), ...state };
        });
    }
    #update(params, { call }) {
        const part = this.#resource("update");
        return answered(places(CHANGE_CALL, part.body.attributes, part.state), call, async () => {
            const { update } = part.handlers;
            if (update === undefined)
                throw new Failure("the resource cannot be updated");
            const props = await this.#props(part, params["nextProps"], params["nextWriteOnlyProps"]);
            const existing = existingOf(part, params["id"], params["currentProps"], params["currentState"], params["currentSensitiveState"]);
            const { value } = await withContext(this.#session, call, {}, (it) => update.call(part.handlers, existing, props, it));
            const state = written("the state", () => writeObject(value?.state, part.state, "json"));
            return split(state, part.state);
        });
    }
    #delete(params, { call }) {
        const part = this.#resource("delete");
        return answered(places(PLAIN_CALL, part.body.attributes, part.state), call, async () => {
            const existing = existingOf(part, params["id"], params["props"], params["state"], params["sensitiveState"]);
            await withContext(this.#session, call, {}, (it) => part.handlers.delete(existing, it));
            return { done: true };
        });
    }
    #modifyPlan(params, { call }) {
        const part = this.#resource("modifyPlan");
        return answered(places(CHANGE_CALL, part.body.attributes, part.state), call, async () => {
            const kind = params["planType"];
            const unknownPaths = Array.isArray(params["unknownProps"]) ? params["unknownProps"] : [];
            const next = unknownPaths.reduce((value, path) => withUnknown(value, path.slice(1)), params["nextProps"]);
            const existing = () => existingOf(part, params["id"], params["currentProps"], params["currentState"], params["currentSensitiveState"]);
            const read = () => readObject(next, part.body.attributes, { ...JSON_READING, allowUnknown: true });
            const plan = kind === "delete"
                ? { kind, existing: existing() }
                : kind === "update"
                    ? { kind, existing: existing(), props: read() }
                    : { kind: "create", props: read() };
            const { value } = await withContext(this.#session, call, {}, (it) => part.handlers.modifyPlan?.(plan, it));
            const result = decidedPlan(part, value, kind === "update" ? params["currentProps"] : undefined, next);
            if (call.warnings.length > 0)
                delete result["noChanges"];
            return result;
        });
    }
    #look(params, { call }) {
        const part = this.#only("read", "data source", this.#session.parts.dataSources);
        return answered(places(RESULT_CALL, part.body.attributes, part.result), call, async () => {
            const props = await validated(part.body, readObject(params["props"], part.body.attributes, JSON_READING));
            const { value } = await withContext(this.#session, call, {}, (it) => part.read(props, it));
            const { state, sensitiveState } = split(written("the result", () => writeObject(value, part.result, "json")), part.result);
            return { result: state, ...(sensitiveState === undefined ? {} : { sensitiveResult: sensitiveState }) };
        });
    }
    #ephemeral(method, params, { call }) {
        const part = this.#only(method, "ephemeral resource", this.#session.parts.ephemerals);
        const seconds = (time) => (time === undefined ? {} : { renewAt: Math.floor(time.getTime() / 1000) });
        const kept = (data) => ({ privateData: writeDeclared(data, { type: { kind: "any" } }, "json") });
        const { handlers } = part;
        return answered(places(RESULT_CALL, part.body.attributes, part.result), call, async () => {
            if (method === "open") {
                const props = await validated(part.body, readObject(params["props"], part.body.attributes, JSON_READING));
                const { value } = await withContext(this.#session, call, {}, (it) => handlers.open(props, it));
                const { state, sensitiveState } = split(written("the result", () => writeObject(value.result, part.result, "json")), part.result);
                const secret = sensitiveState === undefined ? {} : { sensitiveResult: sensitiveState };
                return { result: state, ...secret, ...seconds(value.renewAt), ...kept(value.private) };
            }
            const handler = handlers[method];
            if (handler === undefined)
                throw new Fault(METHOD_NOT_FOUND, `Method not found: ${method}`, { method });
            const { value } = await withContext(this.#session, call, {}, (it) => handler.call(handlers, params["privateData"] ?? undefined, it));
            const renewed = (value ?? {});
            return method === "close"
                ? { done: true }
                : { ...seconds(renewed.renewAt), ...("private" in renewed ? kept(renewed.private) : {}) };
        });
    }
    #invoke(params, { call, notify }) {
        const part = this.#only("invoke", "action", this.#session.parts.actions);
        return answered(places(PLAIN_CALL, part.body.attributes, {}), call, async () => {
            const progress = (message) => notify("invokeProgress", { message });
            await runAction(this.#session, part, params["props"], JSON_READING, call, { progress });
            return { done: true };
        });
    }
    #call(params, { call }) {
        const { functions } = this.#session.parts;
        if (functions.size === 0)
            this.#only("call", "function", functions);
        const name = String(params["name"]);
        const part = functions.get(name);
        if (part === undefined)
            throw new Fault(FAILED, this.#session.missing("function", name, functions.keys()));
        const names = Object.keys(part.body.attributes);
        const place = ([first = "", ...rest]) => {
            const index = names.indexOf(String(first));
            if (index < 0 && part.variadic?.name === first) {
                return ["arguments", String(names.length + Number(rest[0] ?? 0)), ...rest.slice(1).map(String)];
            }
            return ["arguments", ...(index < 0 ? [] : [String(index)]), ...rest.map(String)];
        };
        return answered(place, call, async () => {
            const values = Array.isArray(params["arguments"]) ? params["arguments"] : [];
            return { result: await callFunction(this.#session, part, named(name, part, values), call, {}) };
        });
    }
}

// hosts/slots
class Slots {
    #free;
    #waiting = [];
    constructor(limit) {
        this.#free = limit;
    }
    async run(work) {
        if (this.#free > 0)
            this.#free -= 1;
        else
            await new Promise((resolve) => this.#waiting.push(resolve));
        try {
            return await work();
        }
        finally {
            const next = this.#waiting.shift();
            if (next === undefined)
                this.#free += 1;
            else
                next();
        }
    }
}

// hosts/service
function callable(session, name) {
    const part = session.parts.functions.get(name);
    if (part !== undefined)
        return { function: part };
    const action = session.parts.actions.get(name);
    return action === undefined ? undefined : { action };
}
function callableNames(session) {
    return [...new Set([...session.parts.functions.keys(), ...session.parts.actions.keys()])].sort();
}
function unknownName(session, kind, name) {
    const names = callableNames(session);
    const near = nearest(name, names);
    const hint = near === undefined
        ? `the plugin has ${names.length === 0 ? "no functions and no actions" : names.join(", ")}`
        : `did you mean \`${near}\`?`;
    return `unknown ${kind} \`${name}\`; ${hint}`;
}
class ServiceMethods {
    #session;
    #slots;
    constructor(session) {
        this.#session = session;
        this.#slots = new Slots(session.parts.maxInFlight ?? 1);
    }
    isMutating(method) {
        return !this.#session.parts.functions.has(method) && this.#session.parts.actions.has(method);
    }
    request({ method, params, call }) {
        const found = callable(this.#session, method);
        if (found === undefined)
            throw new Fault(METHOD_NOT_FOUND, unknownName(this.#session, "method", method));
        try {
            const answer = this.#call(found, method, params, call);
            return isPromise(answer) ? answer.catch(refuseCall) : answer;
        }
        catch (error) {
            return refuseCall(error);
        }
    }
    #call(found, method, params, call) {
        if ("function" in found) {
            const given = Array.isArray(params) ? named(method, found.function, params) : params;
            return proceed(callFunction(this.#session, found.function, given, call, {}), (result) => {
                printWarnings(this.#session, call, given);
                return result;
            });
        }
        const given = Array.isArray(params) ? named(method, found.action, params) : params;
        const { action } = found;
        return this.#slots.run(() => runAction(this.#session, action, given, JSON_READING, call, {})).then((outputs) => {
            printWarnings(this.#session, call, given);
            return Object.keys(action.outputs).length === 0 ? null : outputs;
        });
    }
    hide(value, method, params) {
        const found = callable(this.#session, method);
        if (found === undefined || !Array.isArray(params))
            return hideSecrets(this.#session, value, params);
        const part = "function" in found ? found.function : found.action;
        const most = Object.keys(part.body.attributes).length;
        const isVariadic = "variadic" in part && part.variadic !== undefined;
        return hideSecrets(this.#session, value, named(method, part, isVariadic ? params : params.slice(0, most)));
    }
    event(method, params, calls) {
        if (method === "$/cancelRequest")
            calls.cancel(params?.id);
    }
}
function refuseCall(error) {
    throw serviceFault(error);
}
function serviceFault(error) {
    if (isUnfit(error)) {
        const [first] = error.problems;
        const message = error.problems.map(plainProblemText).join("; ");
        return new Fault(INVALID_PARAMS, message, first === undefined || first.path.length === 0 ? undefined : { path: first.path });
    }
    const failure = asFailure(error);
    const { path, code, detail, message } = failure;
    const text = path === undefined || path.length === 0 ? message : `${path.join(".")}: ${message}`;
    const data = {
        ...(code === undefined ? {} : { code }),
        ...(detail === undefined ? {} : { detail }),
        ...(path === undefined ? {} : { path }),
    };
    return new Fault(FAILED, text, Object.keys(data).length === 0 ? undefined : data);
}

// hosts/mcp
const VERSIONS = ["2024-10-07", "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
class McpMethods {
    isSilent = true;
    #session;
    #slots;
    constructor(session) {
        this.#session = session;
        this.#slots = new Slots(session.parts.maxInFlight ?? 1);
    }
    isMutating(method, params) {
        const name = params?.name;
        return method === "tools/call" && typeof name === "string" && !this.#session.parts.functions.has(name);
    }
    request(request) {
        switch (request.method) {
            case "initialize":
                return this.#initialize(request.params);
            case "ping":
                return {};
            case "tools/list":
                return { tools: callableNames(this.#session).map((name) => this.#tool(name)) };
            case "tools/call":
                return this.#call(request);
            default:
                throw new Fault(METHOD_NOT_FOUND, `unknown method \`${request.method}\`; the plugin offers tools/list and tools/call`);
        }
    }
    event(method, params, calls) {
        if (method === "notifications/cancelled") {
            calls.cancel(params?.requestId);
        }
    }
    #initialize(params) {
        const wanted = params?.protocolVersion;
        const { name, version } = this.#session.plugin;
        return {
            protocolVersion: VERSIONS.includes(wanted) ? wanted : VERSIONS[VERSIONS.length - 1],
            capabilities: { tools: {} },
            serverInfo: { name, version },
        };
    }
    #tool(name) {
        const found = callable(this.#session, name);
        const part = "function" in found ? found.function : found.action;
        const attributes = { ...part.body.attributes };
        if ("variadic" in part && part.variadic !== undefined) {
            attributes[part.variadic.name] = { type: { kind: "list", element: part.variadic.element }, default: [] };
        }
        const outputSchema = "function" in found ? resultSchema(found.function.returns) : outputsSchema(found.action);
        const annotations = "function" in found
            ? { readOnlyHint: true }
            : found.action.isIdempotent
                ? { idempotentHint: true }
                : undefined;
        return {
            name,
            ...(part.description === "" ? {} : { description: part.description }),
            inputSchema: jsonSchemaOfObject(attributes),
            ...(outputSchema === undefined ? {} : { outputSchema }),
            ...(annotations === undefined ? {} : { annotations }),
        };
    }
    #call({ params, call, notify }) {
        const { name, arguments: given, _meta: meta } = isRecord(params) ? params : {};
        if (typeof name !== "string")
            throw new Fault(INVALID_PARAMS, "name: a string is required");
        const found = callable(this.#session, name);
        if (found === undefined)
            throw new Fault(INVALID_PARAMS, unknownName(this.#session, "tool", name));
        const token = isRecord(meta) ? meta["progressToken"] : undefined;
        let steps = 0;
        const progress = (message, done, total) => {
            steps = done ?? steps + 1;
            if (token === undefined)
                return;
            notify("notifications/progress", {
                progressToken: token,
                progress: steps,
                ...(total === undefined ? {} : { total }),
                message,
            });
        };
        try {
            const answer = this.#content(found, given, call, progress);
            return isPromise(answer) ? answer.catch((error) => this.#failed(error, given, call)) : answer;
        }
        catch (error) {
            return this.#failed(error, given, call);
        }
    }
    #failed(error, given, call) {
        printWarnings(this.#session, call, given);
        if (isUnfit(error))
            throw serviceFault(error);
        const text = hideSecrets(this.#session, failureText(asFailure(error)), given);
        return { content: [{ type: "text", text }], isError: true };
    }
    #content(found, given, call, progress) {
        if ("function" in found) {
            const outcome = callFunction(this.#session, found.function, given, call, { progress });
            const isObject = isObjectType(found.function.returns);
            return proceed(outcome, (result) => {
                printWarnings(this.#session, call, given);
                return content(result, isObject ? result : { result });
            });
        }
        const { action } = found;
        const run = () => runAction(this.#session, action, given, JSON_READING, call, { progress });
        return this.#slots.run(run).then((outputs) => {
            printWarnings(this.#session, call, given);
            const isEmpty = Object.keys(action.outputs).length === 0;
            return isEmpty ? { content: [{ type: "text", text: "done" }] } : content(outputs, outputs);
        });
    }
}
function content(result, structuredContent) {
    const text = typeof result === "string" ? result : stringifyJson(result);
    return { content: [{ type: "text", text }], structuredContent };
}
function isObjectType({ type, nullable, optional }) {
    return (type.kind === "object" || type.kind === "map") && nullable !== true && optional !== true;
}
function resultSchema(returns) {
    if (isObjectType(returns)) {
        const { description: _, ...schema } = jsonSchemaOfDeclaration(returns, true);
        return schema;
    }
    return {
        type: "object",
        properties: { result: jsonSchemaOfDeclaration(returns, true) },
        required: ["result"],
        additionalProperties: false,
    };
}
function outputsSchema(action) {
    return Object.keys(action.outputs).length === 0 ? undefined : jsonSchemaOfObject(action.outputs, true);
}

// hosts/orchard
const RESERVED = [
    "provider",
    "depends_on",
    "lifecycle",
    "for_each",
    "count",
    "timeout",
    "retry",
    "idempotent",
    "assert",
];
const LARGEST_LINE = 16 * 1024 * 1024;
class OrchardError extends Error {
    code;
    detail;
    constructor(code, message, detail) {
        super(message);
        this.code = code;
        this.detail = detail;
    }
}
function orchardSchema(plugin) {
    const { parts } = plugin;
    offerOf(plugin);
    const actions = {};
    for (const name of [...parts.actions.keys()].sort()) {
        const one = parts.actions.get(name);
        if (one === undefined)
            continue;
        const attributes = one.body.attributes;
        const reserved = Object.keys(attributes).find((key) => RESERVED.includes(key));
        if (reserved !== undefined) {
            throw new TypeError(`action ${name}: scenarios use the name ${reserved} themselves; choose another one`);
        }
        const secrets = Object.values(one.outputs).some(holdsSecret);
        actions[name] = {
            description: one.description,
            attrs: orchardAttributes(`action ${name}`, attributes),
            outputs: {
                type: typeText({ kind: "object", attributes: sorted(one.outputs) }),
                required: false,
                ...(secrets ? { sensitive: true } : {}),
            },
            ...(one.isIdempotent ? { idempotent: true } : {}),
        };
    }
    return {
        name: plugin.name,
        version: plugin.version,
        protocol: "1",
        config: orchardAttributes("the configuration", parts.config.attributes),
        actions,
        ...(parts.maxInFlight === undefined ? {} : { max_in_flight: parts.maxInFlight }),
    };
}
function sorted(attributes) {
    return Object.fromEntries(Object.entries(attributes).sort(([a], [b]) => bytewise(a, b)));
}
function orchardAttributes(place, attributes) {
    return Object.fromEntries(Object.entries(attributes).map(([name, one]) => [name, {
            type: one.idempotencyKey === true ? "any" : typeText(one.type),
            required: !(isOptional(one) || one.nullable === true || one.idempotencyKey === true),
            ...orchardDefault(`${place}, attribute ${name}`, one),
            ...(one.description === undefined || one.description === "" ? {} : { description: one.description }),
            ...(one.secret === true || one.writeOnly === true ? { sensitive: true } : {}),
            ...(one.idempotencyKey === true ? { idempotency_key: true } : {}),
        }]));
}
function orchardDefault(place, one) {
    const given = defaultOf(place, one);
    const isQuoted = typeof given.default === "string" && /^".*"$/s.test(given.default);
    return isQuoted ? { default: JSON.stringify(given.default) } : given;
}
const SMALLEST_ID = -(2n ** 63n);
function isOrchardId(id) {
    if (typeof id === "number")
        return Number.isSafeInteger(id);
    return typeof id === "bigint" && id >= SMALLEST_ID && id < -SMALLEST_ID;
}
class OrchardConversation {
    #session;
    #output;
    #goodbye;
    #lines = frameReader("lines", LARGEST_LINE, "host");
    #calls;
    #waiting = [];
    #running = 0;
    #isAlone = false;
    constructor(session, output, goodbye) {
        this.#session = session;
        this.#output = output;
        this.#calls = new RunningCalls(output);
        this.#goodbye = goodbye;
    }
    receive(chunk) {
        for (const line of this.#lines.push(chunk))
            this.#line(line);
    }
    async finish() {
        for (const line of this.#lines.finish())
            this.#line(line);
        await this.#calls.finished();
    }
    #line(line) {
        let value;
        try {
            value = parseJson(utf8Text(line));
        }
        catch {
            return this.#fail(0, new OrchardError("invalid_request", "the line is not JSON"));
        }
        const { id, method, params } = isRecord(value) ? value : {};
        const known = isOrchardId(id) ? id : 0;
        if (!isRecord(value))
            return this.#fail(0, new OrchardError("invalid_request", "the line is not an object"));
        if (method === undefined && ("result" in value || "error" in value))
            return;
        if (id !== undefined && !isOrchardId(id)) {
            return this.#fail(0, new OrchardError("invalid_request", "`id` must be a whole number of 64 bits"));
        }
        if (typeof method !== "string" || method === "") {
            return this.#fail(known, new OrchardError("invalid_request", "the request has no method"));
        }
        if (id === undefined)
            return;
        if (!isRecord(params ?? {})) {
            return this.#fail(known, new OrchardError("invalid_request", "`params` must be an object"));
        }
        const call = this.#calls.begin(id, true);
        this.#waiting.push({ id, method, params: (params ?? {}), call });
        this.#next();
    }
    #next() {
        const most = this.#session.parts.maxInFlight ?? 1;
        while (this.#waiting.length > 0 && !this.#isAlone) {
            const first = this.#waiting[0];
            const isAlone = first.method === "configure" || first.method === "shutdown";
            if (isAlone ? this.#running > 0 : this.#running >= most)
                return;
            this.#waiting.shift();
            this.#running += 1;
            this.#isAlone = isAlone;
            void this.#answer(first, isAlone);
        }
    }
    async #answer(envelope, isAlone) {
        try {
            const result = await this.#result(envelope);
            this.#output.write(`${stringifyJson({ id: envelope.id, result })}\n`);
        }
        catch (error) {
            const known = error instanceof OrchardError
                ? error
                : new OrchardError("internal_error", error.message);
            const texts = hideSecrets(this.#session, { message: known.message, detail: known.detail }, envelope.params);
            this.#fail(envelope.id, new OrchardError(known.code, texts.message, texts.detail));
        }
        this.#calls.end(envelope.call);
        this.#running -= 1;
        if (isAlone)
            this.#isAlone = false;
        if (envelope.method === "shutdown")
            this.#goodbye();
        this.#next();
    }
    #fail(id, { code, message, detail }) {
        const error = { code, message, ...(detail === undefined ? {} : { detail }) };
        this.#output.write(`${stringifyJson({ id, error })}\n`);
    }
    async #result({ method, params, call }) {
        switch (method) {
            case "describe":
                return { schema: orchardSchema(this.#session.plugin) };
            case "configure":
                await this.#configure(params["config"]);
                return {};
            case "execute":
                return { outputs: await this.#execute(call, params["action"], params["attrs"]) };
            case "shutdown":
                await this.#session.shutDown();
                return {};
            default:
                throw new OrchardError("unknown_method", `unknown method \`${method}\``);
        }
    }
    async #configure(config) {
        if (!isRecord(config ?? {}))
            throw new OrchardError("invalid_request", "`config` must be an object");
        try {
            await this.#session.configure(config ?? {}, JSON_READING);
        }
        catch (error) {
            if (error instanceof Unconfigured)
                throw new OrchardError("invalid_request", error.message);
            if (isUnfit(error))
                throw new OrchardError("configure_failed", problemsText(error.problems));
            throw orchardFailure(error, "configure_failed");
        }
    }
    async #execute(call, action, attrs) {
        if (typeof action !== "string")
            throw new OrchardError("invalid_request", "`action` must be a string");
        if (!isRecord(attrs ?? {}))
            throw new OrchardError("invalid_request", "`attrs` must be an object");
        const { actions } = this.#session.parts;
        const part = actions.get(action);
        if (part === undefined) {
            throw new OrchardError("unknown_action", this.#session.missing("action", action, actions.keys()));
        }
        if (this.#session.stage === "ended")
            throw new OrchardError("invalid_request", "the provider has been shut down");
        if (this.#session.stage !== "ready") {
            throw new OrchardError("invalid_request", "configure must succeed before execute is called");
        }
        try {
            return await runAction(this.#session, part, attrs ?? {}, JSON_READING, call, {});
        }
        catch (error) {
            if (isUnfit(error))
                throw new OrchardError("validation_failed", problemsText(error.problems));
            throw orchardFailure(error, "execute_failed");
        }
        finally {
            printWarnings(this.#session, call, attrs);
        }
    }
}
function orchardFailure(error, otherwise) {
    const { code, message, detail, path } = asFailure(error);
    const text = path === undefined || path.length === 0 ? message : `${path.join(".")}: ${message}`;
    return new OrchardError(code ?? otherwise, text, detail);
}

// define/storage
const STORAGE_METHODS = ["read", "write", "lock", "unlock", "list", "delete"];
function addStorage(parts, storage) {
    const add = (name, run) => {
        if (storage[name] !== undefined)
            parts.storage.set(name, run);
    };
    add("read", async ({ path }) => ({ state: (await storage.read(path)) ?? null }));
    add("write", async ({ path, state, lockId }) => {
        await storage.write(path, state, lockId);
        return { success: true };
    });
    add("lock", async ({ path, info }) => {
        const wanted = { id: lockIdOf(info), info };
        return { lockId: (await storage.lock?.(path, wanted)) ?? wanted.id };
    });
    add("unlock", async ({ path, lockId, force }) => {
        await storage.unlock?.(path, force === true ? undefined : lockId);
        return { success: true };
    });
    add("list", async ({ prefix }) => ({ paths: (await storage.list?.(prefix ?? "")) ?? [] }));
    add("delete", async ({ path, lockId }) => {
        await storage.delete?.(path, lockId);
        return { success: true };
    });
}
function lockIdOf(info) {
    try {
        const { ID } = JSON.parse(info);
        if (typeof ID === "string" && ID !== "")
            return ID;
    }
    catch {
    }
    throw new Failure('info in the params of storage/lock is not JSON with an "ID"');
}
function pathProblem(path) {
    if (typeof path !== "string")
        return "path must be a string";
    const isBad = path.split("/").some((segment) => segment === "" || segment === "." || segment === "..");
    return isBad
        ? `invalid path ${JSON.stringify(path)}: it must be relative, without empty, "." or ".." segments`
        : undefined;
}

// wire/scanner
class UnpackError extends Error {
    name = "UnpackError";
}
const UNPACK_LIMITS = { size: 64 * 1024 * 1024, depth: 128 };
class Scanner {
    #limits;
    #missing = [1];
    #at = 0;
    constructor(limits = UNPACK_LIMITS) {
        this.#limits = limits;
    }
    reset() {
        this.#missing.length = 1;
        this.#missing[0] = 1;
        this.#at = 0;
    }
    scan(bytes) {
        const missing = this.#missing;
        let level = missing.length - 1;
        while (true) {
            while (missing[level] === 0) {
                if (level === 0)
                    return this.#at;
                missing.length = level;
                level -= 1;
            }
            if (this.#at >= bytes.length)
                return -1;
            const head = bytes[this.#at];
            const [width, inside] = extent(bytes, this.#at, head);
            if (width < 0)
                return -1;
            if (this.#at + width > this.#limits.size) {
                throw new UnpackError(`the message is too large: ${this.#limits.size} bytes at most`);
            }
            if (this.#at + width > bytes.length)
                return -1;
            this.#at += width;
            missing[level] = missing[level] - 1;
            if (inside > 0) {
                if (level >= this.#limits.depth) {
                    throw new UnpackError(`the message is nested more than ${this.#limits.depth} levels deep`);
                }
                missing.push(inside);
                level += 1;
            }
        }
    }
}
const NEED_MORE = [-1, 0];
const ONE = [1, 0];
function extent(bytes, at, head) {
    if (head < 0x80 || head >= 0xe0)
        return ONE;
    if (head < 0x90)
        return [1, (head & 0x0f) * 2];
    if (head < 0xa0)
        return [1, head & 0x0f];
    if (head < 0xc0)
        return [1 + (head & 0x1f), 0];
    const width = WIDTHS[head - 0xc0];
    if (width < 0)
        throw new UnpackError(`the byte 0x${head.toString(16)} is not msgpack`);
    if (width > 0)
        return [width, 0];
    const size = head === 0xc4 || head === 0xc7 || head === 0xd9
        ? 1
        : head === 0xc5 || head === 0xc8 || head === 0xda || head === 0xdc || head === 0xde
            ? 2
            : 4;
    if (at + 1 + size > bytes.length)
        return NEED_MORE;
    let count = 0;
    for (let index = 1; index <= size; index += 1)
        count = count * 256 + bytes[at + index];
    if (head === 0xdc || head === 0xdd)
        return [1 + size, count];
    if (head === 0xde || head === 0xdf)
        return [1 + size, count * 2];
    const isExt = head >= 0xc7 && head <= 0xc9;
    return [1 + size + count + (isExt ? 1 : 0), 0];
}
const WIDTHS = [1, -1, 1, 1, 0, 0, 0, 0, 0, 0, 5, 9, 2, 3, 5, 9, 2, 3, 5, 9, 3, 4, 6, 10, 18, 0, 0, 0, 0, 0, 0, 0];

// wire/unpack
const LARGEST_REFINEMENT = 1024;
class Unpacker {
    #bytes;
    #at = 0;
    constructor(bytes) {
        this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    }
    get at() {
        return this.#at;
    }
    value() {
        const head = this.#bytes[this.#at];
        this.#at += 1;
        if (head < 0x80)
            return head;
        if (head >= 0xe0)
            return head - 0x100;
        if (head < 0x90)
            return this.#map(head & 0x0f);
        if (head < 0xa0)
            return this.#array(head & 0x0f);
        if (head < 0xc0)
            return this.#text(head & 0x1f);
        switch (head) {
            case 0xc0:
                return null;
            case 0xc2:
                return false;
            case 0xc3:
                return true;
            case 0xc4:
                return this.#binary(this.#uint(1));
            case 0xc5:
                return this.#binary(this.#uint(2));
            case 0xc6:
                return this.#binary(this.#uint(4));
            case 0xc7:
                return this.#ext(this.#uint(1));
            case 0xc8:
                return this.#ext(this.#uint(2));
            case 0xc9:
                return this.#ext(this.#uint(4));
            case 0xca:
                return this.#float(this.#bytes.readFloatBE(this.#skip(4)));
            case 0xcb:
                return this.#float(this.#bytes.readDoubleBE(this.#skip(8)));
            case 0xcc:
                return this.#uint(1);
            case 0xcd:
                return this.#uint(2);
            case 0xce:
                return this.#uint(4);
            case 0xcf:
                return small(this.#bytes.readBigUInt64BE(this.#skip(8)));
            case 0xd0:
                return this.#bytes.readInt8(this.#skip(1));
            case 0xd1:
                return this.#bytes.readInt16BE(this.#skip(2));
            case 0xd2:
                return this.#bytes.readInt32BE(this.#skip(4));
            case 0xd3:
                return small(this.#bytes.readBigInt64BE(this.#skip(8)));
            case 0xd4:
                return this.#ext(1);
            case 0xd5:
                return this.#ext(2);
            case 0xd6:
                return this.#ext(4);
            case 0xd7:
                return this.#ext(8);
            case 0xd8:
                return this.#ext(16);
            case 0xd9:
                return this.#text(this.#uint(1));
            case 0xda:
                return this.#text(this.#uint(2));
            case 0xdb:
                return this.#text(this.#uint(4));
            case 0xdc:
                return this.#array(this.#uint(2));
            case 0xdd:
                return this.#array(this.#uint(4));
            case 0xde:
                return this.#map(this.#uint(2));
            default:
                return this.#map(this.#uint(4));
        }
    }
    #skip(count) {
        const at = this.#at;
        this.#at = at + count;
        return at;
    }
    #uint(width) {
        return this.#bytes.readUIntBE(this.#skip(width), width);
    }
    #float(value) {
        if (Number.isNaN(value))
            throw new UnpackError("NaN is not a number");
        return value === 0 ? 0 : value;
    }
    #text(size) {
        const at = this.#skip(size);
        if (size < 16) {
            let text = "";
            for (let index = at; index < at + size; index += 1) {
                const byte = this.#bytes[index];
                if (byte > 0x7f)
                    return strictText(this.#bytes.subarray(at, at + size));
                text += String.fromCharCode(byte);
            }
            return text;
        }
        return strictText(this.#bytes.subarray(at, at + size));
    }
    #binary(size) {
        const at = this.#skip(size);
        return Uint8Array.prototype.slice.call(this.#bytes, at, at + size);
    }
    #array(count) {
        const found = [];
        for (let index = 0; index < count; index += 1)
            found.push(this.value());
        return found;
    }
    #map(count) {
        const found = {};
        for (let index = 0; index < count; index += 1) {
            const key = this.value();
            const name = key instanceof Uint8Array ? strictText(key) : key;
            if (typeof name !== "string")
                throw new UnpackError("a key of a map is not a text");
            put(found, name, this.value());
        }
        return found;
    }
    #ext(size) {
        const type = this.#bytes[this.#at];
        const at = this.#skip(size + 1) + 1;
        if (type !== 12 || size < 2)
            return unknown;
        if (size > LARGEST_REFINEMENT)
            throw new UnpackError("a refinement of an unknown value is too large");
        const known = readRefinement(this.#bytes.subarray(at, at + size));
        return known === null ? null : new Unknown(known);
    }
}
function strictText(bytes) {
    try {
        return utf8Text(bytes);
    }
    catch {
        throw new UnpackError("a text is not UTF-8");
    }
}
function small(value) {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : value;
}
function readRefinement(payload) {
    const scanner = new Scanner({ size: LARGEST_REFINEMENT, depth: 8 });
    const head = payload[0];
    if (head < 0x80 || head > 0x8f || scanner.scan(payload) < 0) {
        throw new UnpackError("a refinement of an unknown value is not a map");
    }
    const entries = new Unpacker(payload.subarray(1));
    const known = {};
    let isNull = false;
    for (let left = head & 0x0f; left > 0; left -= 1) {
        const key = entries.value();
        const given = entries.value();
        const value = key === 2 && given instanceof Uint8Array ? strictText(given) : given;
        if (key === 1 && value === true)
            isNull = true;
        else if (key === 1 && value === false)
            known.notNull = true;
        else if (key === 2 && typeof value === "string")
            known.prefix = value.normalize("NFC");
        else if (key === 3)
            known.min = readBound(value);
        else if (key === 4)
            known.max = readBound(value);
        else if (key === 5 && Number.isSafeInteger(value))
            known.minLength = value;
        else if (key === 6 && Number.isSafeInteger(value))
            known.maxLength = value;
        else if (typeof key === "number" && key >= 1 && key <= 6) {
            throw new UnpackError("a refinement of an unknown value has a wrong type");
        }
    }
    if (isNull && known.notNull === true)
        throw new UnpackError("what is known of an unknown value contradicts itself");
    checkRefinement(known);
    return isNull ? null : known;
}
function readBound(value) {
    const [given, inclusive] = Array.isArray(value) && value.length === 2 ? value : [];
    const number = typeof given === "string" ? exactNumber(given) : given;
    if (typeof inclusive !== "boolean" || !(typeof number === "number" || typeof number === "bigint" || isBig(number))) {
        throw new UnpackError("a bound of an unknown number is not a number and a bool");
    }
    return { value: number, inclusive };
}
function checkRefinement({ min, max, minLength = 0, maxLength = Infinity }) {
    const isEmpty = min !== undefined && max !== undefined && less(max.value, min.value);
    if (isEmpty || minLength < 0 || maxLength < 0 || minLength > maxLength) {
        throw new UnpackError("what is known of an unknown value contradicts itself");
    }
}
function less(a, b) {
    const [x, y] = [isBig(a) ? a.toNumber() : a, isBig(b) ? b.toNumber() : b];
    return x < y;
}
function unpack(bytes) {
    const length = new Scanner().scan(bytes);
    if (length !== bytes.length) {
        throw new UnpackError(length < 0 ? "the value is cut off" : "there are bytes after the value");
    }
    return new Unpacker(bytes).value();
}
class FlawedMessage {
    start;
    problem;
    constructor(start, problem) {
        this.start = start;
        this.problem = problem;
    }
}
function messageOf(bytes) {
    try {
        return new Unpacker(bytes).value();
    }
    catch (error) {
        if (!(error instanceof UnpackError))
            throw error;
        return new FlawedMessage(startOf(bytes), error.message);
    }
}
function startOf(bytes) {
    const found = [];
    const head = bytes[0];
    const count = head >= 0x90 && head <= 0x9f ? Math.min(3, head & 0x0f) : 0;
    const values = new Unpacker(bytes.subarray(1));
    try {
        while (found.length < count)
            found.push(values.value());
    }
    catch (error) {
        if (!(error instanceof UnpackError))
            throw error;
    }
    return found;
}
class MessageStream {
    #scanner;
    #rest = Buffer.alloc(0);
    #filled = 0;
    constructor(limits = UNPACK_LIMITS) {
        this.#scanner = new Scanner(limits);
    }
    get isInside() {
        return this.#filled > 0;
    }
    *push(chunk) {
        let bytes = chunk;
        if (this.#filled > 0) {
            this.#append(chunk);
            bytes = this.#rest.subarray(0, this.#filled);
        }
        let start = 0;
        while (start < bytes.length) {
            const piece = start === 0 ? bytes : bytes.subarray(start);
            const length = this.#scanner.scan(piece);
            if (length < 0)
                break;
            this.#scanner.reset();
            const message = messageOf(piece.subarray(0, length));
            start += length;
            yield message;
        }
        this.#keep(bytes.subarray(start));
    }
    #append(chunk) {
        const needed = this.#filled + chunk.length;
        if (needed > this.#rest.length) {
            const larger = Buffer.allocUnsafe(Math.max(needed, this.#rest.length * 2));
            this.#rest.copy(larger, 0, 0, this.#filled);
            this.#rest = larger;
        }
        this.#rest.set(chunk, this.#filled);
        this.#filled = needed;
    }
    #keep(rest) {
        if (this.#filled > 0 && rest.length === this.#filled)
            return;
        if (rest.length > 0) {
            const copy = Buffer.allocUnsafe(Math.max(rest.length, 256));
            copy.set(rest);
            this.#rest = copy;
        }
        else if (this.#filled > 0)
            this.#rest = Buffer.alloc(0);
        this.#filled = rest.length;
    }
}

// wire/pack
var _a39;
const INT64_MAX = 2n ** 63n - 1n;
const INT64_MIN = -(2n ** 63n);
const LONGEST_PREFIX = 256;
class Packer {
    #bytes = Buffer.allocUnsafe(1024);
    #at = 0;
    reset() {
        this.#at = 0;
        if (this.#bytes.length > 1 << 20)
            this.#bytes = Buffer.allocUnsafe(1024);
    }
    taken() {
        return Uint8Array.prototype.slice.call(this.#bytes, 0, this.#at);
    }
    #reserve(count) {
        const at = this.#at;
        if (at + count > this.#bytes.length) {
            const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, at + count));
            this.#bytes.copy(larger, 0, 0, at);
            this.#bytes = larger;
        }
        this.#at = at + count;
        return at;
    }
    pack(value) {
        switch (typeof value) {
            case "string":
                return this.#string(value);
            case "number":
                return this.#number(value);
            case "boolean":
                return this.#byte(value ? 0xc3 : 0xc2);
            case "bigint":
                return this.#bigint(value);
            case "object":
                return this.#object(value);
            default:
                return this.#byte(0xc0);
        }
    }
    #object(value) {
        if (value === null)
            return this.#byte(0xc0);
        if (Array.isArray(value)) {
            const count = value.length;
            this.#header(count, 0x90, 15, 0xdc);
            for (let index = 0; index < count; index += 1)
                this.pack(value[index]);
        }
        else if (value instanceof Uint8Array)
            this.#binary(value);
        else if (isUnknown(value))
            this.#unknown(value);
        else if (isBig(value))
            this.#big(value);
        else {
            const names = Object.keys(value);
            this.#header(names.length, 0x80, 15, 0xde);
            for (const name of names) {
                this.#string(name);
                this.pack(value[name]);
            }
        }
    }
    #byte(byte) {
        const at = this.#reserve(1);
        this.#bytes[at] = byte;
    }
    #copy(data) {
        const at = this.#reserve(data.length);
        this.#bytes.set(data, at);
    }
    #header(count, short, most, long) {
        if (count <= most)
            this.#byte(short | count);
        else if (count < 0x10000) {
            const at = this.#reserve(3);
            this.#bytes[at] = long;
            this.#bytes.writeUInt16BE(count, at + 1);
        }
        else {
            const at = this.#reserve(5);
            this.#bytes[at] = long + 1;
            this.#bytes.writeUInt32BE(count, at + 1);
        }
    }
    #string(text) {
        const length = text.length;
        if (length < 32) {
            const start = this.#reserve(length + 1);
            const bytes = this.#bytes;
            let index = 0;
            for (; index < length; index += 1) {
                const code = text.charCodeAt(index);
                if (code > 0x7f)
                    break;
                bytes[start + 1 + index] = code;
            }
            if (index === length) {
                bytes[start] = 0xa0 | length;
                return;
            }
            this.#at = start;
        }
        const size = Buffer.byteLength(text, "utf8");
        this.#sized(size, size < 32 ? 0xa0 | size : 0, 0xd9);
        const at = this.#reserve(size);
        this.#bytes.write(text, at, size, "utf8");
    }
    #sized(size, short, long) {
        if (short !== 0)
            return this.#byte(short);
        const width = size < 0x100 ? 1 : size < 0x10000 ? 2 : 4;
        const at = this.#reserve(1 + width);
        this.#bytes[at] = long + (width >> 1);
        this.#bytes.writeUIntBE(size, at + 1, width);
    }
    #binary(data) {
        this.#sized(data.length, 0, 0xc4);
        this.#copy(data);
    }
    #number(value) {
        if (value >= 0 && value < 0x80 && Number.isInteger(value))
            return this.#byte(value);
        if (Number.isSafeInteger(value))
            return this.#integer(value);
        if (Number.isInteger(value)) {
            const exact = BigInt(value);
            return exact >= INT64_MIN && exact <= INT64_MAX ? this.#bigint(exact) : this.#string(decimalText(value));
        }
        if (Number.isNaN(value))
            throw new RangeError("NaN cannot be written");
        const at = this.#reserve(9);
        this.#bytes[at] = 0xcb;
        this.#bytes.writeDoubleBE(value, at + 1);
    }
    #integer(value) {
        if (value >= 0) {
            if (value < 0x100)
                this.#wide(0xcc, value, 1);
            else if (value < 0x10000)
                this.#wide(0xcd, value, 2);
            else if (value < 0x100000000)
                this.#wide(0xce, value, 4);
            else
                this.#bigint(BigInt(value));
        }
        else if (value >= -32)
            this.#byte(value & 0xff);
        else if (value >= -0x80)
            this.#wide(0xd0, value & 0xff, 1);
        else if (value >= -0x8000)
            this.#wide(0xd1, value & 0xffff, 2);
        else if (value >= -0x80000000)
            this.#wide(0xd2, value >>> 0, 4);
        else
            this.#bigint(BigInt(value));
    }
    #wide(header, value, width) {
        const at = this.#reserve(1 + width);
        this.#bytes[at] = header;
        this.#bytes.writeUIntBE(value, at + 1, width);
    }
    #bigint(value) {
        if (value >= -0x80000000n && value < 0x100000000n)
            return this.#number(Number(value));
        if (value < INT64_MIN || value > INT64_MAX)
            return this.#string(value.toString());
        const at = this.#reserve(9);
        this.#bytes[at] = value >= 0n ? 0xcf : 0xd3;
        if (value >= 0n)
            this.#bytes.writeBigUInt64BE(value, at + 1);
        else
            this.#bytes.writeBigInt64BE(value, at + 1);
    }
    #big(value) {
        if (value.isInteger)
            this.#bigint(value.toBigInt());
        else if (value.isBinary)
            this.#number(value.toNumber());
        else
            this.#string(value.toString());
    }
    #unknown({ refinement }) {
        const entries = refinements(refinement);
        if (entries.length === 0)
            return this.#copy([0xd4, 0, 0]);
        const payload = new _a39();
        payload.#header(entries.length, 0x80, 15, 0xde);
        for (const [key, one] of entries) {
            payload.pack(key);
            payload.pack(one);
        }
        const data = payload.taken();
        const fixed = [1, 2, 4, 8, 16].indexOf(data.length);
        const header = fixed >= 0
            ? [0xd4 + fixed, 12]
            : data.length < 0x100
                ? [0xc7, data.length, 12]
                : [0xc8, data.length >> 8, data.length & 0xff, 12];
        this.#copy(header);
        this.#copy(data);
    }
}
_a39 = Packer;
function refinements(known) {
    const found = [];
    if (known.notNull === true)
        found.push([1, false]);
    if (known.prefix !== undefined && known.prefix !== "") {
        if (Buffer.byteLength(known.prefix) <= LONGEST_PREFIX)
            found.push([2, known.prefix]);
    }
    const bound = (value, inclusive) => [value, inclusive];
    if (known.min !== undefined)
        found.push([3, bound(known.min.value, known.min.inclusive)]);
    if (known.max !== undefined)
        found.push([4, bound(known.max.value, known.max.inclusive)]);
    if (known.minLength !== undefined && known.minLength > 0)
        found.push([5, known.minLength]);
    if (known.maxLength !== undefined && Number.isFinite(known.maxLength))
        found.push([6, known.maxLength]);
    return found;
}
let shared = new Packer();
function pack(value) {
    const packer = shared ?? new Packer();
    shared = undefined;
    try {
        packer.reset();
        packer.pack(value);
        return packer.taken();
    }
    finally {
        shared = packer;
    }
}

// hosts/seasonings_around
const LOCKED = -32001;
const VERDICT = ["status", "message", "warnings", "metadata"];
const STATUSES = { pass: "success", ok: "success", warn: "warning" };
async function runHook(session, name, { method, given, running, reporter }) {
    const hook = session.parts.hooks.get(name);
    if (hook === undefined)
        throw new Fault(METHOD_NOT_FOUND, "Method not found", { method });
    const params = { resources: [], ...given };
    const { value, context } = await withContext(session, running, reporter, (it) => hook(params, it));
    const verdict = verdictOf(name, value);
    const warnings = context.warnings.map((one) => one.summary);
    return warnings.length === 0 ? verdict : { ...verdict, warnings: [...verdict.warnings ?? [], ...warnings] };
}
function verdictOf(hook, value) {
    if (value === undefined || value === null)
        return { status: "success" };
    const refused = (problem) => new Failure(`the hook ${hook} must return nothing, or an object with ${VERDICT.join(", ")}; ${problem}`);
    if (!hasMembers(value))
        throw refused(`this is ${jsName(value)}`);
    const returned = writeImplied(value, "msgpack", []);
    const unknown = Object.keys(returned).find((name) => !VERDICT.includes(name));
    if (unknown !== undefined)
        throw refused(`it has ${JSON.stringify(unknown)}`);
    const { status, warnings } = { ...returned, status: returned["status"] ?? "success", warnings: returned["warnings"] ?? [] };
    if (typeof status !== "string")
        throw refused(`its status is ${jsName(status)}`);
    if (!Array.isArray(warnings))
        throw refused(`its warnings are ${jsName(warnings)}`);
    return { ...returned, status: STATUSES[status] ?? status };
}
async function runStorage(session, name, { method, given, running, reporter }) {
    const handler = session.parts.storage.get(name);
    if (handler === undefined)
        throw new Fault(METHOD_NOT_FOUND, "Method not found", { method });
    const problem = name === "list" ? undefined : pathProblem(given["path"]);
    if (problem !== undefined)
        throw new Fault(INVALID_PARAMS, problem);
    const params = { ...given };
    for (const key of ["lockId", "prefix", "force"])
        if (params[key] === null)
            delete params[key];
    if (name === "unlock" && params["force"] !== true && typeof params["lockId"] !== "string") {
        throw new Fault(INVALID_PARAMS, "lockId in the params of storage/unlock: it is missing, and force is not true");
    }
    if (name === "write") {
        const { state } = params;
        if (state === undefined || state === null) {
            throw new Fault(INVALID_PARAMS, "state in the params of storage/write: it is missing");
        }
        if (typeof state === "string")
            params["state"] = new TextEncoder().encode(state);
    }
    try {
        const { value } = await withContext(session, running, reporter, (it) => handler(params, it));
        return storageResult(name, value);
    }
    catch (error) {
        const failure = asFailure(error);
        if (failure.held === undefined)
            throw new Fault(FAILED, failureText(failure));
        throw new Fault(LOCKED, failureText(failure), {
            lockId: failure.held?.id ?? null,
            info: failure.held?.info ?? null,
        });
    }
}
const RETURNED = {
    read: "state",
    write: "success",
    lock: "lockId",
    unlock: "success",
    list: "paths",
    delete: "success",
};
function storageResult(name, value) {
    const isNothing = value === undefined || value === null;
    if (isNothing && (name === "unlock" || name === "delete"))
        return { success: true };
    const member = RETURNED[name];
    if (!hasMembers(value) || !(member in value)) {
        const found = hasMembers(value) ? `an object with ${Object.keys(value).join(", ") || "no members"}` : jsName(value);
        throw new Failure(`storage/${name} must return { ${member} }, but this is ${found}`);
    }
    return name === "read" ? { state: value[member] ?? null } : value;
}

// hosts/seasonings_answers
const NOT_FOUND = -32002;
async function seasoningsAnswer({ warnings }, work) {
    try {
        const { result, diagnostics = [] } = await work();
        const found = [...diagnostics, ...warnings];
        return found.length === 0 ? result : { ...result, diagnostics: sent(found) };
    }
    catch (error) {
        if (error instanceof Fault)
            throw error;
        if (isUnfit(error)) {
            const found = error.problems.map(({ path, text }) => ({
                severity: "error",
                summary: "invalid value",
                detail: text,
                path,
            }));
            return { diagnostics: sent([...found, ...warnings]) };
        }
        const failure = asFailure(error);
        if (failure.path === undefined && failure.diagnostics.length === 0)
            throw new Fault(FAILED, failureText(failure));
        return { diagnostics: sent([...failureDiagnostics(failure), ...warnings]) };
    }
}
function sent(diagnostics) {
    return diagnostics.map(({ severity, summary, detail, path }) => ({
        severity,
        summary,
        ...(detail === undefined || detail === "" ? {} : { detail }),
        ...(path === undefined || path.length === 0 ? {} : { path }),
    }));
}
function subjectOf(session, kind, all, type) {
    if (typeof type !== "string")
        throw new Fault(INVALID_PARAMS, "type: a string is required");
    const found = all.get(type);
    if (found === undefined)
        throw new Fault(NOT_FOUND, session.missing(kind, type, all.keys()));
    return found;
}

// hosts/seasonings_functions
async function seasoningsFunction(session, { given, running, reporter }) {
    const { name } = given;
    if (typeof name !== "string") {
        throw new Fault(INVALID_PARAMS, "name in the params of functions/call: a string is required");
    }
    const { functions } = session.parts;
    const part = functions.get(name);
    if (part === undefined)
        throw new Fault(NOT_FOUND, session.missing("function", name, functions.keys()));
    try {
        const read = functionArguments(part, given["arguments"], CTY_READING);
        const context = new Context(session.stateOnDemand(), running, reporter);
        const result = await runFunction(part, read, "msgpack", context);
        printWarnings(session, running, given);
        return { result };
    }
    catch (error) {
        if (error instanceof Fault)
            throw error;
        if (isUnfit(error)) {
            const [{ path, text } = { path: [], text: "invalid argument" }] = error.problems;
            const [argument, ...inside] = path;
            const message = inside.length === 0 ? text : `${inside.join(".")}: ${text}`;
            throw new Fault(FAILED, message, argument === undefined ? undefined : { argument: String(argument) });
        }
        const failure = asFailure(error);
        const [argument] = failure.path ?? [];
        if (argument === undefined)
            throw new Fault(FAILED, failureText(failure));
        const text = failure.detail === undefined ? failure.message : `${failure.message}\n${failure.detail}`;
        throw new Fault(FAILED, text, { argument: String(argument) });
    }
}

// hosts/seasonings_plan
function select(object, names) {
    const found = {};
    for (const name in names)
        put(found, name, (isRecord(object) ? object[name] : null) ?? null);
    return found;
}
function isComputed(part, name) {
    return name === "id" || part.state[name] !== undefined;
}
function allNames(part) {
    return [...new Set(["id", ...Object.keys(part.body.attributes), ...Object.keys(part.state)])].sort();
}
function plannedChange({ part, prior, config }, proposed) {
    if (prior !== null && canonical(prior) === canonical(proposed))
        return prior;
    const planned = {};
    for (const name of allNames(part)) {
        const given = part.body.attributes[name];
        const returned = name === "id" ? { stable: true } : part.state[name];
        if (!isComputed(part, name) || (config?.[name] ?? null) !== null)
            put(planned, name, proposed[name] ?? null);
        else if (prior !== null && (returned?.stable === true || given?.replaces === true || part.state[name]?.replaces === true))
            put(planned, name, prior[name] ?? null);
        else
            put(planned, name, unknown);
    }
    return planned;
}
function plannedProps({ part, config }, planned) {
    const props = {};
    for (const [name, one] of Object.entries(part.body.attributes)) {
        const [value, configured] = [planned[name] ?? null, config?.[name] ?? null];
        const isConfigured = hasWriteOnly(one) || isUnknown(value) && configured === null;
        put(props, name, isConfigured ? configured : value);
    }
    return props;
}
function hasWriteOnly(one) {
    if (one.writeOnly === true)
        return true;
    if (one.block === undefined)
        return false;
    const inner = one.type.kind === "object" ? one.type : "element" in one.type ? one.type.element.type : one.type;
    return inner.kind === "object" && Object.values(inner.attributes).some(hasWriteOnly);
}
function decided(whole, proposed, planned, decision) {
    const { part, prior } = whole;
    if (!isRecord(decision))
        return { result: { planned } };
    if ("replace" in decision) {
        const result = { planned: { ...planned, id: unknown } };
        return { result: prior === null ? result : { ...result, replace: [["id"]] } };
    }
    const { attributes } = part.body;
    const stored = Object.fromEntries(Object.entries(attributes).filter(([, one]) => one.writeOnly !== true));
    const given = written("the props", () => Object.entries(membersOf(decision.props)));
    const settable = Object.fromEntries(given.filter(([name]) => attributes[name]?.writeOnly !== true));
    const props = written("the props", () => writeObject(settable, stored, "msgpack"));
    const kept = settled(stored, prior ?? {}, settled(stored, proposed, props));
    const changed = plannedChange(whole, { ...proposed, ...kept });
    const known = Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== null));
    return { result: { planned: { ...changed, ...known } } };
}
function settled(attributes, before, props) {
    const found = {};
    for (const name in attributes) {
        const one = { [name]: attributes[name] };
        const meaning = (all) => canonical(readStored(select(all, one), one, { ...CTY_READING, allowUnknown: true }));
        put(found, name, Object.hasOwn(before, name) && meaning(before) === meaning(props) ? before[name] : props[name]);
    }
    return found;
}
function filledIn(attributes, props) {
    const found = { ...props };
    for (const [name, one] of Object.entries(attributes)) {
        if (one.default === undefined || (props[name] ?? null) !== null)
            continue;
        put(found, name, writeObject({ [name]: one.default }, { [name]: one }, "msgpack")[name]);
    }
    return found;
}
function wholeState(part, id, known, returned) {
    const state = {};
    for (const name of allNames(part)) {
        const given = part.body.attributes[name];
        const value = given?.writeOnly === true ? null : name === "id" ? id : returned[name] ?? known[name] ?? null;
        if (given?.block !== undefined && value === null)
            continue;
        put(state, name, unknownAsNull(value));
    }
    return state;
}
function unknownAsNull(value) {
    if (isUnknown(value))
        return null;
    if (Array.isArray(value))
        return value.map(unknownAsNull);
    if (!isRecord(value))
        return value;
    const found = {};
    for (const name in value)
        put(found, name, unknownAsNull(value[name]));
    return found;
}

// hosts/seasonings_resources
const IMPORTED = new TextEncoder().encode("imported");
const OF_AUTHOR = 1;
class SeasoningsResources {
    #session;
    constructor(session) {
        this.#session = session;
    }
    answer(name, call) {
        switch (name) {
            case "configure":
                return seasoningsAnswer(call.running, () => this.#configure(call));
            case "validate":
                return seasoningsAnswer(call.running, () => this.#validate(call));
            case "planChange":
                return seasoningsAnswer(call.running, () => this.#plan(call));
            case "applyChange":
                return seasoningsAnswer(call.running, () => this.#apply(call));
            case "read":
                return seasoningsAnswer(call.running, () => this.#read(call));
            case "import":
                return seasoningsAnswer(call.running, () => this.#import(call));
            case "upgrade":
                return seasoningsAnswer(call.running, () => this.#upgrade(call));
            default:
                return undefined;
        }
    }
    #part({ given }) {
        return subjectOf(this.#session, "resource", this.#session.parts.resources, given["type"]);
    }
    async #configure({ given }) {
        const { config } = given;
        if (hasUnknown(config)) {
            this.#session.defer();
            return { result: {} };
        }
        try {
            await this.#session.configure(config, { ...CTY_READING });
        }
        catch (error) {
            if (error instanceof Unconfigured)
                throw new Fault(FAILED, error.message);
            throw error;
        }
        return { result: {} };
    }
    async #validate(call) {
        const { parts } = this.#session;
        const { kind, config, type } = call.given;
        const body = kind === "provider"
            ? parts.config
            : kind === "resource"
                ? this.#part(call).body
                : kind === "data"
                    ? subjectOf(this.#session, "data source", parts.dataSources, type).body
                    : kind === "ephemeral"
                        ? subjectOf(this.#session, "ephemeral resource", parts.ephemerals, type).body
                        : undefined;
        if (body === undefined) {
            throw new Fault(INVALID_PARAMS, `kind in the params of resources/validate: ${JSON.stringify(kind)} is unknown`);
        }
        if (!hasUnknown(config)) {
            await validated(body, readObject(select(config, body.attributes), body.attributes, CTY_READING));
        }
        return { result: {} };
    }
    #existing(part, prior) {
        const all = isRecord(prior) ? prior : {};
        const hasState = Object.entries(part.state).every(([name, one]) => one.optional === true || one.secret === true || (all[name] ?? null) !== null);
        return {
            id: typeof all["id"] === "string" ? all["id"] : "",
            props: readStored(select(all, part.body.attributes), part.body.attributes, CTY_READING),
            ...(hasState ? { state: readStored(select(all, part.state), part.state, CTY_READING) } : {}),
        };
    }
    #known(part, prior) {
        const existing = this.#existing(part, prior);
        if (existing.id !== "")
            return existing;
        throw new Failure("the resource has no id, because it is not known how its creation ended; find out whether it exists, delete it by hand, " +
            "and remove it with `terraform state rm`");
    }
    async #plan(call) {
        const part = this.#part(call);
        const { prior = null, config = null, proposed = null } = call.given;
        if (!isRecord(proposed))
            return { result: { planned: null } };
        const whole = { part, prior: isRecord(prior) ? prior : null, config: isRecord(config) ? config : null };
        const planned = plannedChange(whole, proposed);
        const { handlers } = part;
        if (handlers.modifyPlan === undefined || this.#session.stage === "deferred")
            return { result: { planned } };
        const props = readObject(plannedProps(whole, planned), part.body.attributes, PLAN_READING);
        const plan = whole.prior === null
            ? { kind: "create", props }
            : { kind: "update", existing: this.#existing(part, whole.prior), props };
        return this.#calling(call, async (context) => {
            const decision = await handlers.modifyPlan?.(plan, context);
            return decided(whole, proposed, planned, decision);
        });
    }
    async #apply(call) {
        const part = this.#part(call);
        const { prior = null, config = null, planned = null } = call.given;
        const whole = { part, prior: isRecord(prior) ? prior : null, config: isRecord(config) ? config : null };
        const { handlers } = part;
        if (!isRecord(planned)) {
            const existing = this.#known(part, whole.prior);
            return this.#calling(call, async (context) => {
                await handlers.delete(existing, context);
                return { result: {} };
            });
        }
        const props = await validated(part.body, readObject(plannedProps(whole, planned), part.body.attributes, CTY_READING));
        if (whole.prior !== null) {
            const existing = this.#known(part, whole.prior);
            return this.#calling(call, async (context) => {
                if (handlers.update === undefined)
                    throw new Failure("the resource cannot be updated");
                const updated = await handlers.update(existing, props, context);
                const state = written("the state", () => writeObject(updated?.state, part.state, "msgpack"));
                return { result: { state: wholeState(part, existing.id, planned, state) } };
            });
        }
        return this.#calling(call, async (context) => {
            const created = await handlers.create(props, context);
            if (typeof created?.id !== "string" || created.id === "") {
                throw new Failure("create must return { id, state }; the id is missing");
            }
            return this.#created(part, created, planned);
        });
    }
    #created(part, { id, state }, planned) {
        try {
            const known = writeObject(state, part.state, "msgpack");
            return { result: { state: wholeState(part, id, planned, known) } };
        }
        catch (error) {
            if (!(error instanceof Unwritable))
                throw error;
            const detail = `the state does not match its declaration: ${error.message}`;
            const problem = { severity: "error", summary: "the resource was created in part", detail };
            return { result: { state: wholeState(part, id, planned, {}) }, diagnostics: [problem] };
        }
    }
    async #read(call) {
        const part = this.#part(call);
        const { state: prior } = call.given;
        if (!isRecord(prior))
            return { result: { state: null } };
        const existing = this.#existing(part, prior);
        if (existing.id === "")
            return { result: { state: prior } };
        const isImported = isSame(call.given["private"], IMPORTED);
        return this.#calling(call, async (context) => {
            const found = await part.handlers.read(existing.id, isImported ? undefined : existing.props, context);
            if (found === null || found === undefined)
                return { result: { state: null } };
            const state = written("the state", () => writeObject(found.state, part.state, "msgpack"));
            const props = written("the props", () => writeObject(withoutWriteOnly(found.props, part.body.attributes), part.body.attributes, "msgpack"));
            const given = isImported ? filledIn(part.body.attributes, props) : settled(part.body.attributes, prior, props);
            const known = { ...given, ...keptSecrets(part, prior, state) };
            return {
                result: {
                    state: wholeState(part, existing.id, known, state),
                    ...(isImported ? { private: new Uint8Array(0) } : {}),
                },
            };
        });
    }
    async #import(call) {
        const part = this.#part(call);
        const { id } = call.given;
        if (typeof id !== "string" || id === "")
            throw new Fault(FAILED, "the id is empty");
        const { handlers } = part;
        if (handlers.import === undefined)
            return { result: { state: { id }, private: IMPORTED } };
        return this.#calling(call, async (context) => ({ result: { state: { id: await handlers.import?.(id, context) ?? id }, private: IMPORTED } }));
    }
    async #upgrade(call) {
        const part = this.#part(call);
        const { version, state: stored } = call.given;
        const { upgrade } = part.handlers;
        if (upgrade === undefined) {
            throw new Failure(`the plugin cannot upgrade a resource that was stored with version ${String(version)} of the schema to version ${part.version}`);
        }
        const { id, props, state } = await upgrade.call(part.handlers, Number(version), (stored ?? {}));
        const known = written("the props", () => writeObject(withoutWriteOnly(props, part.body.attributes), part.body.attributes, "msgpack"));
        const returned = written("the state", () => writeObject(state, part.state, "msgpack"));
        return { result: { state: wholeState(part, id, known, returned) } };
    }
    async #calling(call, work) {
        const stored = call.given["private"];
        const ofAuthor = stored instanceof Uint8Array && stored[0] === OF_AUTHOR ? stored.subarray(1) : undefined;
        const { value, context } = await withContext(this.#session, call.running, call.reporter, work, ofAuthor);
        const result = { ...value.result };
        if (context.kept === null)
            result["private"] = new Uint8Array(0);
        else if (context.kept !== undefined)
            result["private"] = Uint8Array.from([OF_AUTHOR, ...context.kept]);
        return { ...value, result };
    }
}
function isSame(data, expected) {
    return data instanceof Uint8Array && data.length === expected.length &&
        data.every((byte, index) => byte === expected[index]);
}
function withoutWriteOnly(props, attributes) {
    return Object.fromEntries(Object.entries(membersOf(props)).filter(([name]) => attributes[name]?.writeOnly !== true));
}
function keptSecrets(part, prior, state) {
    const names = Object.keys(part.state).filter((name) => part.state[name]?.secret === true);
    const isKept = names.every((name) => (state[name] ?? null) === null);
    return isKept ? Object.fromEntries(names.map((name) => [name, prior[name] ?? null])) : {};
}

// hosts/seasonings_data
const ANY = { type: { kind: "any" }, nullable: true };
class SeasoningsData {
    #session;
    constructor(session) {
        this.#session = session;
    }
    answer(name, call) {
        switch (name) {
            case "readData":
                return seasoningsAnswer(call.running, () => this.#read(call));
            case "open":
                return seasoningsAnswer(call.running, () => this.#open(call));
            case "renew":
            case "close":
                return seasoningsAnswer(call.running, () => this.#later(name, call));
            default:
                return undefined;
        }
    }
    async #read(call) {
        const { given, running, reporter } = call;
        const part = subjectOf(this.#session, "data source", this.#session.parts.dataSources, given["type"]);
        const props = await validated(part.body, readObject(select(given["config"], part.body.attributes), part.body.attributes, CTY_READING));
        const { value } = await withContext(this.#session, running, reporter, (it) => part.read(props, it));
        return { result: { state: returnedValues(value, part.result, part.body.attributes) } };
    }
    #ephemeral({ given }) {
        return subjectOf(this.#session, "ephemeral resource", this.#session.parts.ephemerals, given["type"]);
    }
    async #open(call) {
        const part = this.#ephemeral(call);
        const { given, running, reporter } = call;
        const props = await validated(part.body, readObject(select(given["config"], part.body.attributes), part.body.attributes, CTY_READING));
        const { value } = await withContext(this.#session, running, reporter, (it) => part.handlers.open(props, it));
        const result = { result: returnedValues(value.result, part.result, part.body.attributes), ...renewal(value) };
        return { result };
    }
    async #later(name, call) {
        const { handlers } = this.#ephemeral(call);
        const handler = handlers[name];
        if (handler === undefined)
            throw new Fault(METHOD_NOT_FOUND, "Method not found", { method: call.method });
        const stored = call.given["private"];
        const kept = stored instanceof Uint8Array && stored.length > 0
            ? readValue(unpack(stored), ANY, CTY_READING)
            : undefined;
        const { value } = await withContext(this.#session, call.running, call.reporter, (it) => handler.call(handlers, kept ?? undefined, it));
        const renewed = (value ?? {});
        return { result: name === "close" ? {} : renewal(renewed) };
    }
}
function renewal(opened) {
    return {
        ...(opened.renewAt === undefined ? {} : { renew_at: opened.renewAt.toISOString().replace(".000Z", "Z") }),
        ...("private" in opened
            ? { private: pack(written("the private data", () => writeDeclared(opened.private, ANY, "msgpack"))) }
            : {}),
    };
}
function returnedValues(value, returned, given) {
    const all = written("the result", () => writeObject(value, returned, "msgpack"));
    return Object.fromEntries(Object.entries(all).filter(([name, one]) => one !== null || given[name] === undefined));
}

// hosts/seasonings
const PROTOCOL_VERSION = 1;
function canonicalMethod(method) {
    if (method === "initialize")
        return "init";
    const [level = "", name] = method.replace(".", "/").split("/", 2);
    if (name === undefined) {
        const hook = camel(level);
        return HOOKS.includes(hook) ? `middleware/${hook}` : method;
    }
    return level === "hooks" || level === "middleware" ? `middleware/${camel(name)}` : `${level}/${name}`;
}
const HOOKS = [...RESOURCE_HOOKS, ...STAGE_HOOKS];
function camel(name) {
    const joined = name.replace(/-([a-z])/g, (_, letter) => letter.toUpperCase());
    return joined.replace(/Stage(Complete|Fail)$/, (_, end) => `Stage${end === "Fail" ? "Failed" : "Completed"}`);
}
function mayBeCancelled(method) {
    return CANCELLABLE.includes(method) || method.startsWith("middleware/");
}
const CANCELLABLE = [
    "functions/call",
    "resources/validate",
    "resources/planChange",
    "resources/read",
    "resources/import",
    "resources/upgrade",
    "resources/readData",
    "storage/read",
    "storage/list",
];
class SeasoningsConversation {
    #session;
    #output;
    #goodbye;
    #messages = new MessageStream();
    #calls;
    #resources;
    #data;
    #offer;
    constructor(session, output, goodbye) {
        this.#session = session;
        this.#output = output;
        this.#calls = new RunningCalls(output);
        this.#goodbye = goodbye;
        this.#resources = new SeasoningsResources(session);
        this.#data = new SeasoningsData(session);
    }
    receive(chunk) {
        for (const message of this.#messages.push(chunk))
            this.#message(message);
    }
    async finish() {
        if (this.#messages.isInside)
            throw new UnpackError("the input ended inside a message");
        await this.#calls.finished();
    }
    #send(...message) {
        this.#output.write(pack(message));
    }
    #message(message) {
        if (message instanceof FlawedMessage)
            return this.#refuse(message);
        if (!Array.isArray(message)) {
            throw new UnpackError("a message must be an array; something else was written to stdin");
        }
        const [kind, ...rest] = message;
        if (kind === 0 && rest.length === 3 && isId(rest[0])) {
            const [id, method, params] = rest;
            const name = method instanceof Uint8Array ? plainText(method) : method;
            if (typeof name === "string")
                return void this.#answer(id, canonicalMethod(name), params);
        }
        if (kind === 2 && rest.length === 2 && typeof rest[0] === "string" && isParams(rest[1])) {
            return this.#event(canonicalMethod(rest[0]), rest[1]);
        }
        if (kind === 1)
            return;
        const id = kind === 0 && isId(rest[0]) ? rest[0] : 0;
        this.#send(1, id, [INVALID_REQUEST, "the message is not a request, a response or an event"], null);
    }
    #refuse({ start: [kind, id, method], problem }) {
        if (kind === 1)
            return;
        if (kind === 0 && isId(id) && typeof method === "string") {
            this.#send(1, id, [INVALID_PARAMS, `the params of ${method} cannot be read: ${problem}`], null);
        }
        else
            this.#send(1, kind === 0 && isId(id) ? id : 0, [INVALID_REQUEST, `the message cannot be read: ${problem}`], null);
    }
    #event(method, params) {
        const given = paramsOf(params);
        if (method === "$/cancel")
            this.#calls.cancel(given?.["id"]);
        if (method === "shutdown")
            this.#goodbye();
    }
    async #answer(id, method, params) {
        const call = this.#calls.begin(id, !mayBeCancelled(method), () => this.#send(1, id, [CANCELLED, "the call was cancelled"], null));
        let error = null;
        let result = null;
        try {
            const given = paramsOf(params);
            if (given === undefined)
                throw new Fault(INVALID_REQUEST, `the params of ${method} must be a map`);
            result = await this.#result({ method, given, running: call, reporter: this.#reporter });
            if (method.startsWith("resources/"))
                result = withoutSecrets(this.#session, result, given);
        }
        catch (thrown) {
            printWarnings(this.#session, call, params);
            error = hideSecrets(this.#session, faultOf(thrown), params);
        }
        this.#calls.end(call);
        if (!call.isCancelled)
            this.#respond(id, method, error, result);
        if (method === "shutdown")
            this.#goodbye();
    }
    #respond(id, method, error, result) {
        try {
            this.#send(1, id, error, result);
        }
        catch (problem) {
            this.#send(1, id, [FAILED, `the result of ${method} cannot be written: ${problem.message}`], null);
        }
    }
    #reporter = {
        progress: (message, done, total) => this.#send(2, "progress", [{
                message,
                ...(done === undefined ? {} : { done }),
                ...(total === undefined ? {} : { total }),
            }]),
        log: (level, message, fields) => this.#send(2, "log", [{ level, message, ...(fields === undefined ? {} : { fields }) }]),
    };
    #offered() {
        this.#offer ??= offerOf(this.#session.plugin);
        return this.#offer;
    }
    async #result(call) {
        const { method } = call;
        switch (method) {
            case "init":
                return this.#init(call.given);
            case "ping":
                return { status: "ok" };
            case "shutdown":
                return {};
            case "functions/getSchema":
                return { functions: this.#offered().functions };
            case "functions/call":
                return seasoningsFunction(this.#session, call);
            case "resources/getSchema": {
                const { config, resources, data_sources, ephemeral } = this.#offered();
                const has = (one) => Object.keys(one).length > 0;
                return {
                    ...(has(config.attributes) || config.blocks !== undefined ? { provider: config } : {}),
                    ...(has(resources) ? { resources } : {}),
                    ...(has(data_sources) ? { data_sources } : {}),
                    ...(has(ephemeral) ? { ephemeral } : {}),
                };
            }
        }
        const [level, name = ""] = method.split("/");
        if (level === "resources") {
            const found = await this.#resources.answer(name, call) ?? await this.#data.answer(name, call);
            if (found !== undefined)
                return found;
        }
        if (level === "middleware")
            return runHook(this.#session, name, call);
        if (level === "storage" && STORAGE_METHODS.includes(name)) {
            return runStorage(this.#session, name, call);
        }
        throw new Fault(METHOD_NOT_FOUND, "Method not found", { method });
    }
    async #init(given) {
        const version = given["protocol_version"] ?? PROTOCOL_VERSION;
        if (String(version).split(".", 1)[0] !== String(PROTOCOL_VERSION)) {
            throw new Fault(FAILED, `the host speaks version ${String(version)} of the protocol, and this plugin speaks version ${PROTOCOL_VERSION}`);
        }
        this.#offered();
        const { config } = given;
        if (isRecord(config) && Object.keys(config).length > 0)
            await this.#configure(config);
        const { plugin, parts } = this.#session;
        return {
            name: plugin.name,
            version: plugin.version,
            protocol_version: PROTOCOL_VERSION,
            capabilities: capabilities(this.#session),
            ...(parts.maxInFlight === undefined ? {} : { max_in_flight: parts.maxInFlight }),
        };
    }
    async #configure(config) {
        try {
            await this.#session.configure(config, JSON_READING);
        }
        catch (error) {
            if (error instanceof Unconfigured)
                throw new Fault(FAILED, error.message);
            if (isUnfit(error))
                throw new Fault(FAILED, `the configuration: ${problemsText(error.problems)}`);
            throw error;
        }
    }
}
function capabilities({ parts }) {
    const hasResources = parts.resources.size + parts.dataSources.size + parts.ephemerals.size > 0;
    const hasConfig = Object.keys(parts.config.attributes).length > 0;
    const found = [];
    if (parts.storage.size > 0)
        found.push("storage");
    if (parts.functions.size > 0)
        found.push("functions");
    if (hasResources || hasConfig && parts.functions.size > 0)
        found.push("resources");
    return [...found, ...[...parts.hooks.keys()].map((hook) => `hooks.${hook}`).sort()];
}
function isId(id) {
    return typeof id === "number" && Number.isInteger(id) && id >= 0 && id < 2 ** 32;
}
function isParams(params) {
    return params === null || Array.isArray(params) || isRecord(params);
}
function paramsOf(params) {
    const given = Array.isArray(params) ? (params.length > 1 ? params : params[0]) : params;
    if (given === null || given === undefined)
        return {};
    return isRecord(given) ? given : undefined;
}
function faultOf(thrown) {
    if (thrown instanceof Fault) {
        return [thrown.code, thrown.message, ...(thrown.data === undefined ? [] : [thrown.data])];
    }
    if (thrown instanceof UnpackError)
        return [INTERNAL_ERROR, thrown.message];
    return [FAILED, failureText(asFailure(thrown))];
}

// hosts/detect
const FIRST_LINE_END = 0x0a;
const FIRST_BLANKS = [0x20, 0x09, 0x0a, 0x0d];
const LONGEST_FIRST_LINE = 64 * 1024 * 1024;
const LENGTH_HEADER = "content-length:";
function detectHost(bytes, session, isEnd = false) {
    return new FirstMessage(session).push(bytes, isEnd);
}
class FirstMessage {
    #session;
    #queue = new ByteQueue();
    #start = 0;
    #searched = 0;
    constructor(session) {
        this.#session = session;
    }
    get bytes() {
        return this.#queue.view;
    }
    push(chunk, isEnd) {
        this.#queue.push(chunk);
        const bytes = this.#queue.view;
        while (this.#start < bytes.length && FIRST_BLANKS.includes(bytes[this.#start]))
            this.#start += 1;
        const start = this.#start;
        const first = bytes[start];
        if (first === undefined)
            return undefined;
        if (first >= 0x90 && first <= 0x9f || first === 0xdc || first === 0xdd)
            return "seasonings";
        const head = new TextDecoder().decode(bytes.subarray(start, start + LENGTH_HEADER.length)).toLowerCase();
        if (LENGTH_HEADER.startsWith(head))
            return head === LENGTH_HEADER || isEnd ? "service-headers" : undefined;
        const end = bytes.indexOf(FIRST_LINE_END, Math.max(start, this.#searched));
        this.#searched = bytes.length;
        if (end < 0 && !isEnd && bytes.length < LONGEST_FIRST_LINE)
            return undefined;
        return hostOfLine(new TextDecoder().decode(bytes.subarray(start, end < 0 ? undefined : end)), this.#session);
    }
}
function hostOfLine(line, session) {
    let value;
    try {
        value = parseJson(line);
    }
    catch {
        return line.startsWith("{") && !line.includes('"jsonrpc"') ? "orchard" : "service";
    }
    if (!isRecord(value))
        return "service";
    if (!Object.hasOwn(value, "jsonrpc"))
        return "orchard";
    const { method, params } = value;
    if (method === "initialize" && isRecord(params) && typeof params["protocolVersion"] === "string")
        return "mcp";
    if (method === "health")
        return "denobridge";
    const isDenobridge = typeof method === "string" && callable(session, method) === undefined &&
        answersDenobridge(method, session.parts);
    return isDenobridge ? "denobridge" : "service";
}
function converse(host, session, output, goodbye) {
    switch (host) {
        case "seasonings":
            return new SeasoningsConversation(session, output, goodbye);
        case "orchard":
            return new OrchardConversation(session, output, goodbye);
        case "denobridge":
            return new JsonRpcConversation(new DenobridgeMethods(session, goodbye), output);
        case "mcp":
            return new JsonRpcConversation(new McpMethods(session), output);
        case "service":
            return new JsonRpcConversation(new ServiceMethods(session), output);
        case "service-headers":
            return new JsonRpcConversation(new ServiceMethods(session), output, "headers");
    }
}
class AnyConversation {
    #session;
    #output;
    #goodbye;
    #first;
    #found;
    constructor(session, output, goodbye) {
        this.#session = session;
        this.#output = output;
        this.#goodbye = goodbye;
        this.#first = new FirstMessage(session);
    }
    receive(chunk) {
        if (this.#found !== undefined)
            return this.#found.receive(chunk);
        this.#collect(chunk, false);
    }
    async finish() {
        if (this.#found === undefined)
            this.#collect(new Uint8Array(0), true);
        await this.#found?.finish();
    }
    #collect(chunk, isEnd) {
        const first = this.#first;
        const host = first?.push(chunk, isEnd);
        if (first === undefined || host === undefined)
            return;
        this.#first = undefined;
        this.#found = converse(host, this.#session, this.#output, this.#goodbye);
        this.#found.receive(first.bytes);
    }
}

// hosts/frame_log
class FrameLog {
    #file;
    #masked;
    #isText;
    #rest = "";
    #messages = new MessageStream();
    constructor(file, masked) {
        this.#file = file;
        this.#masked = masked;
    }
    static fromEnvironment(masked) {
        const wanted = environment("TENON_DEBUG");
        if (wanted === undefined || wanted === "" || wanted === "0")
            return undefined;
        return new FrameLog(wanted === "1" || wanted === "true" ? undefined : wanted, masked());
    }
    received(chunk) {
        this.#isText ??= (chunk[0] ?? 0) < 0x80;
        if (!this.#isText) {
            try {
                for (const message of this.#messages.push(chunk))
                    this.#line("<-", canonical(this.#hidden(message)));
            }
            catch (error) {
                this.#line("<-", error.message);
            }
            return;
        }
        this.#rest += Buffer.from(chunk).toString("latin1");
        for (let frame = this.#next(); frame !== undefined; frame = this.#next()) {
            if (frame.trim() !== "")
                this.#line("<-", this.#text(Buffer.from(frame, "latin1").toString().trimEnd()));
        }
    }
    sent(frame) {
        if (typeof frame !== "string") {
            for (const message of new MessageStream().push(frame))
                this.#line("->", canonical(this.#hidden(message)));
            return;
        }
        const body = /^content-length:/i.test(frame) ? frame.slice(frame.indexOf("\r\n\r\n") + 4) : frame;
        this.#line("->", this.#text(body.trimEnd()));
    }
    #next() {
        const headers = /^content-length:\s*(\d+)[^]*?\r\n\r\n/i.exec(this.#rest);
        let start = 0;
        let end = this.#rest.indexOf("\n") + 1;
        if (/^content-length:/i.test(this.#rest)) {
            if (headers === null)
                return undefined;
            start = headers[0].length;
            end = start + Number(headers[1]);
        }
        if (end === 0 || end > this.#rest.length)
            return undefined;
        const frame = this.#rest.slice(start, end);
        this.#rest = this.#rest.slice(end);
        return frame;
    }
    #text(text) {
        let message;
        try {
            message = JSON.parse(text);
        }
        catch {
            return this.#masked.names.size === 0 ? text : `${Buffer.byteLength(text)} bytes that are not JSON`;
        }
        const hidden = this.#hidden(message);
        const method = isRecord(message) ? message["method"] : undefined;
        if (isRecord(hidden) && Array.isArray(hidden["params"]) && this.#masked.methods.has(String(method))) {
            hidden["params"] = MASK;
        }
        const shown = JSON.stringify(hidden);
        return shown === JSON.stringify(message) ? text : shown;
    }
    #hidden(value) {
        if (value instanceof FlawedMessage)
            return [...value.start, value.problem];
        if (Array.isArray(value))
            return value.map((inner) => this.#hidden(inner));
        if (!isRecord(value))
            return value;
        const entries = Object.entries(value).map(([name, inner]) => [
            name,
            this.#masked.names.has(name) && inner !== null ? MASK : this.#hidden(inner),
        ]);
        return Object.fromEntries(entries);
    }
    #line(direction, text) {
        const line = `${new Date().toISOString()} ${direction} ${text}\n`;
        try {
            if (this.#file === undefined)
                writeSync(2, line);
            else
                appendFileSync(this.#file, line, { mode: 0o600 });
        }
        catch {
        }
    }
}
const MASKED_OF_SCRIPTS = { names: new Set(SECRET_MEMBERS), methods: new Set() };
const hasSecret = (attributes) => Object.values(attributes).some(isSecretDeclaration);
function maskedOf(parts) {
    const names = new Set([...SECRET_MEMBERS, "private", ...secretNames(parts)]);
    const methods = new Set();
    for (const [name, call] of [...parts.functions, ...parts.actions]) {
        const variadic = "variadic" in call ? call.variadic : undefined;
        if (hasSecret(call.body.attributes) || (variadic !== undefined && isSecretDeclaration(variadic.element))) {
            methods.add(name);
            names.add("arguments");
        }
        const isResultSecret = "outputs" in call ? Object.values(call.outputs).some(holdsSecret) : holdsSecret(call.returns);
        if (isResultSecret)
            for (const member of ["outputs", "result", "structuredContent", "text"])
                names.add(member);
    }
    return { names, methods };
}
function environment(name) {
    try {
        return process.env[name];
    }
    catch {
        return undefined;
    }
}

// hosts/stdout
const isNode = process.versions["deno"] === undefined && process.versions["bun"] === undefined;
let makeStream;
let stream;
function unblockStdout() {
    if (!isNode)
        return false;
    try {
        if (process.platform !== "win32" && stream === undefined) {
            stream = makeStream?.call(process);
            stream?.on("error", () => undefined);
        }
        return true;
    }
    catch {
        return false;
    }
}
function writeStdout(bytes, done) {
    const { Deno } = globalThis;
    if (Deno !== undefined)
        Deno.stdout.write(bytes).then((count) => done(undefined, count), (error) => done(error, 0));
    else if (stream === undefined)
        write(1, bytes, 0, bytes.length, null, done);
    else
        stream.write(bytes, (error) => done(error, error ? 0 : bytes.length));
}
function protectStdout() {
    try {
        if (isNode)
            makeStream = Object.getOwnPropertyDescriptor(process, "stdout")?.get;
        Object.defineProperty(process, "stdout", { configurable: true, get: () => process.stderr });
    }
    catch {
    }
    if (isNode)
        protectNodeConsole();
    else
        protectConsole();
}
function protectNodeConsole() {
    for (const name of ["log", "info", "debug"]) {
        console[name] = (...args) => console.error(...args);
    }
    Object.defineProperty(console, "_stdout", { configurable: true, get: () => process.stderr });
}
function protectConsole() {
    const given = console;
    const print = given["error"];
    const write = (text) => {
        print("%s", text.replace(/\n$/, ""));
        return true;
    };
    const stdout = { write };
    const quiet = new Console({ stdout, ignoreErrors: false });
    for (const name of Object.keys(quiet))
        given[name] = quiet[name];
    given["trace"] = (...args) => {
        const calls = new Error().stack?.split("\n").slice(2) ?? [];
        quiet["error"]("Trace:", ...args);
        for (const call of calls)
            write(call);
    };
    if (given["write"] !== undefined) {
        given["write"] = (...args) => void process.stderr.write(args.map(String).join(""));
    }
}

// hosts/stdio
const LARGEST_DIRECT = 32 * 1024;
const LARGEST_PIECE = 64 * 1024;
const MOST_WAITING = 1024 * 1024;
const STDOUT = 1;
const SMALLEST_PIPE = 4096;
const READING_LIMIT = 5000;
class StdioOutput {
    #debug;
    #corked;
    #waiting = [];
    #waitingBytes = 0;
    #isWriting = false;
    #isBroken = false;
    #direct = SMALLEST_PIPE;
    #drained = [];
    #isPaused = false;
    #isHeld = false;
    onPause = () => undefined;
    onBroken = () => undefined;
    constructor(debug) {
        this.#debug = debug;
    }
    write(frame) {
        this.#debug?.sent(frame);
        const bytes = typeof frame === "string"
            ? Buffer.from(frame)
            : Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength);
        if (this.#corked !== undefined)
            this.#corked.push(bytes);
        else
            this.#put(bytes);
    }
    hold(isHeld) {
        this.#isHeld = isHeld;
        this.#measure();
    }
    #measure() {
        const wasPaused = this.#isPaused;
        this.#isPaused = this.#isHeld || this.#waitingBytes > MOST_WAITING;
        if (this.#isPaused !== wasPaused)
            this.onPause(this.#isPaused);
    }
    cork() {
        if (this.#corked !== undefined)
            return;
        this.#corked = [];
        setImmediate(() => {
            this.flush();
            this.#corked = undefined;
        });
    }
    flush() {
        const frames = this.#corked;
        if (frames === undefined || frames.length === 0)
            return;
        this.#corked = [];
        this.#put(frames.length === 1 ? frames[0] : Buffer.concat(frames));
    }
    async drained() {
        if (this.#corked !== undefined)
            await new Promise((resolve) => setImmediate(resolve));
        if (this.#waitingBytes === 0 || this.#isBroken)
            return;
        await new Promise((resolve) => {
            let left = this.#waitingBytes;
            const timer = setInterval(() => {
                const isRead = this.#waitingBytes < left;
                left = this.#waitingBytes;
                if (isRead)
                    return;
                console.error(`${left} bytes were not sent: the host did not read for ${READING_LIMIT / 1000} s`);
                done();
            }, READING_LIMIT);
            const done = () => {
                clearInterval(timer);
                resolve();
            };
            this.#drained.push(done);
        });
    }
    #put(bytes) {
        if (this.#isBroken)
            return;
        if (this.#direct < bytes.length)
            this.#direct = unblockStdout() ? Infinity : 0;
        let rest = bytes;
        if (!this.#isWriting && bytes.length <= LARGEST_DIRECT && bytes.length <= this.#direct) {
            this.#direct -= bytes.length;
            try {
                while (rest.length > 0)
                    rest = rest.subarray(writeSync(STDOUT, rest));
                return;
            }
            catch (error) {
                if (error.code !== "EAGAIN")
                    return this.#break();
            }
        }
        this.#waiting.push(rest);
        this.#waitingBytes += rest.length;
        this.#measure();
        if (!this.#isWriting)
            this.#next();
    }
    #next() {
        const frames = this.#taken();
        this.#isWriting = frames !== undefined;
        if (frames === undefined) {
            for (const resolve of this.#drained.splice(0))
                resolve();
            return;
        }
        writeStdout(frames, (error, count) => {
            if (this.#isBroken)
                return;
            const isFull = error?.code === "EAGAIN";
            if (!isFull && error !== null && error !== undefined)
                return this.#break();
            this.#waitingBytes -= count;
            if (count < frames.length)
                this.#waiting.unshift(frames.subarray(count));
            this.#measure();
            if (isFull)
                setTimeout(() => this.#next(), 1);
            else
                this.#next();
        });
    }
    #taken() {
        let count = 0;
        for (let size = 0; count < this.#waiting.length && size < LARGEST_DIRECT; count += 1) {
            size += this.#waiting[count].length;
        }
        const frames = this.#waiting.splice(0, count);
        const bytes = frames.length > 1 ? Buffer.concat(frames) : frames[0];
        if (bytes === undefined || bytes.length <= LARGEST_PIECE)
            return bytes;
        this.#waiting.unshift(bytes.subarray(LARGEST_PIECE));
        return bytes.subarray(0, LARGEST_PIECE);
    }
    #break() {
        if (this.#isBroken)
            return;
        this.#isBroken = true;
        this.#waitingBytes = 0;
        for (const resolve of this.#drained.splice(0))
            resolve();
        this.onBroken();
    }
}

// hosts/serve
async function servePlugin(plugin, args = process.argv.slice(2)) {
    if (args.length > 0)
        return void (process.exitCode = command(plugin, args));
    try {
        offerOf(plugin);
    }
    catch (error) {
        return fail(plugin.name, error);
    }
    const session = new Session(plugin);
    await serveStdio(plugin.name, (output, goodbye) => new AnyConversation(session, output, goodbye), () => session.abandon(), () => maskedOf(session.parts));
}
function fail(name, error) {
    console.error(`${name}: ${error.message}`);
    process.exitCode = 1;
}
function command(plugin, args) {
    if (args.length !== 1 || args[0] !== "schema") {
        console.error(`usage: ${plugin.name}           speak to a host on stdin and stdout\n       ${plugin.name} schema    print what the plugin offers to scenarios`);
        return 2;
    }
    let text;
    try {
        text = `${stringifyJson(orchardSchema(plugin))}\n`;
    }
    catch (error) {
        fail(plugin.name, error);
        return 1;
    }
    try {
        writeSync(1, text);
    }
    catch (error) {
        if (error.code !== "EPIPE")
            throw error;
    }
    return 0;
}
async function serveStdio(name, begin, last, masked) {
    protectStdout();
    const debug = FrameLog.fromEnvironment(masked);
    const output = new StdioOutput(debug);
    const { stdin } = process;
    let code = 0;
    await new Promise((resolve) => {
        let isOver = false;
        let end = () => undefined;
        const conversation = begin(output, () => end());
        end = (reason) => {
            if (isOver)
                return;
            isOver = true;
            stdin.pause();
            if (reason !== undefined) {
                code = 1;
                console.error(`${name}: ${reason.message}`);
            }
            conversation.finish().then(() => undefined, (problem) => {
                code = 1;
                console.error(`${name}: ${problem.message}`);
            }).then(resolve);
        };
        output.onPause = (isPaused) => (isPaused ? stdin.pause() : isOver ? undefined : stdin.resume());
        output.onBroken = () => end();
        stdin.on("data", (chunk) => {
            if (isOver)
                return;
            debug?.received(chunk);
            if (chunk.length > 512)
                output.cork();
            try {
                conversation.receive(chunk);
            }
            catch (error) {
                end(error);
            }
            output.flush();
        });
        stdin.on("end", () => end());
        stdin.on("error", () => end());
        for (const [signal, number] of [["SIGTERM", 15], ["SIGINT", 2], ["SIGBREAK", 21]]) {
            try {
                process.on(signal, () => {
                    if (isOver)
                        process.exit(128 + number);
                    end();
                });
            }
            catch {
            }
        }
    });
    await last();
    await output.drained();
    process.exit(code);
}

// define/plugin
class Plugin {
    name;
    version;
    parts = {
        config: { attributes: {} },
        configure: undefined,
        shutdown: undefined,
        maxInFlight: undefined,
        functions: new Map(),
        actions: new Map(),
        resources: new Map(),
        dataSources: new Map(),
        ephemerals: new Map(),
        hooks: new Map(),
        storage: new Map(),
    };
    constructor(info) {
        if (typeof info?.name !== "string" || info.name === "") {
            throw new TypeError("a plugin needs a name: new Plugin({ name, version })");
        }
        this.name = info.name;
        this.version = info.version ?? "0.0.0";
    }
    configure(parameters, start) {
        if (this.parts.configure !== undefined)
            throw new TypeError("configure was already called");
        this.parts.config = bodyOf(parameters, "configure", "given");
        this.parts.configure = start;
        return this;
    }
    shutdown(stop) {
        this.parts.shutdown = stop;
        return this;
    }
    maxInFlight(count) {
        if (!Number.isInteger(count) || count < 1)
            throw new TypeError("maxInFlight must be a positive integer");
        this.parts.maxInFlight = count;
        return this;
    }
    function(name, options, run) {
        const place = `function ${name}`;
        const [variadic, ...others] = Object.entries(options.variadic ?? {});
        if (others.length > 0)
            throw new TypeError(`${place}: variadic has one parameter`);
        this.#add(this.parts.functions, place, name, {
            summary: options.summary,
            ...texts(options),
            body: bodyOf(options.parameters, place, "given"),
            ...(variadic === undefined
                ? {}
                : { variadic: { name: variadic[0], element: declarationOf(variadic[1], place, "given") } }),
            returns: options.returns === undefined ? { type: { kind: "any" } } : declarationOf(options.returns, place, "returned"),
            run: run,
        });
        return this;
    }
    action(name, options, run) {
        const place = `action ${name}`;
        this.#add(this.parts.actions, place, name, {
            ...texts(options),
            body: bodyOf(options.parameters, place, "given"),
            outputs: bodyOf(options.outputs, place, "returned").attributes,
            isIdempotent: options.idempotent === true,
            run: run,
        });
        return this;
    }
    resource(name, options) {
        const place = `resource ${name}`;
        const body = bodyOf(options.props, place, "given");
        const state = bodyOf(options.state, place, "returned").attributes;
        for (const reserved of [...Object.keys(body.attributes), ...Object.keys(state)]) {
            if (reserved === "id")
                throw new TypeError(`${place}: "id" is the id that create returns; choose another name`);
        }
        this.#add(this.parts.resources, place, name, {
            ...texts(options),
            version: options.version ?? 0,
            body: options.update === undefined ? replacing(body, place) : body,
            state,
            handlers: options,
        });
        return this;
    }
    dataSource(name, options, read) {
        const place = `data source ${name}`;
        this.#add(this.parts.dataSources, place, name, {
            ...texts(options),
            body: bodyOf(options.props, place, "given"),
            result: bodyOf(options.result, place, "returned").attributes,
            read: read,
        });
        return this;
    }
    ephemeral(name, options) {
        const place = `ephemeral resource ${name}`;
        this.#add(this.parts.ephemerals, place, name, {
            ...texts(options),
            body: bodyOf(options.props, place, "given"),
            result: bodyOf(options.result, place, "returned").attributes,
            handlers: options,
        });
        return this;
    }
    resourceHook(hook, run) {
        return this.#hook(hook, RESOURCE_HOOKS, run);
    }
    stageHook(hook, run) {
        return this.#hook(hook, STAGE_HOOKS, run);
    }
    prePlan(run) {
        return this.resourceHook("prePlan", run);
    }
    postPlan(run) {
        return this.resourceHook("postPlan", run);
    }
    preApply(run) {
        return this.resourceHook("preApply", run);
    }
    postApply(run) {
        return this.resourceHook("postApply", run);
    }
    preRefresh(run) {
        return this.resourceHook("preRefresh", run);
    }
    postRefresh(run) {
        return this.resourceHook("postRefresh", run);
    }
    initStageStart(run) {
        return this.stageHook("initStageStart", run);
    }
    initStageCompleted(run) {
        return this.stageHook("initStageCompleted", run);
    }
    initStageFailed(run) {
        return this.stageHook("initStageFailed", run);
    }
    planStageStart(run) {
        return this.stageHook("planStageStart", run);
    }
    planStageCompleted(run) {
        return this.stageHook("planStageCompleted", run);
    }
    planStageFailed(run) {
        return this.stageHook("planStageFailed", run);
    }
    applyStageStart(run) {
        return this.stageHook("applyStageStart", run);
    }
    applyStageCompleted(run) {
        return this.stageHook("applyStageCompleted", run);
    }
    applyStageFailed(run) {
        return this.stageHook("applyStageFailed", run);
    }
    storage(storage) {
        addStorage(this.parts, storage);
        return this;
    }
    storageRead(run) {
        return this.#storage("read", run);
    }
    storageWrite(run) {
        return this.#storage("write", run);
    }
    storageLock(run) {
        return this.#storage("lock", run);
    }
    storageUnlock(run) {
        return this.#storage("unlock", run);
    }
    storageList(run) {
        return this.#storage("list", run);
    }
    storageDelete(run) {
        return this.#storage("delete", run);
    }
    offer() {
        return offerOf(this);
    }
    serve() {
        return servePlugin(this);
    }
    #add(all, place, name, part) {
        if (!/^[\p{L}_][\p{L}\p{N}_-]*$/u.test(name))
            throw new TypeError(`${place}: invalid name`);
        if (all.has(name))
            throw new TypeError(`${place}: there is one of this name already`);
        all.set(name, part);
    }
    #hook(name, known, run) {
        if (!known.includes(name))
            throw new TypeError(`unknown hook ${name}; the hooks are ${known.join(", ")}`);
        this.parts.hooks.set(name, run);
        return this;
    }
    #storage(name, run) {
        this.parts.storage.set(name, run);
        return this;
    }
}
function texts(options) {
    const { description = "", deprecated } = options;
    return deprecated === undefined ? { description } : { description, deprecated };
}
function replacing(body, place) {
    const all = Object.entries(body.attributes);
    if (all.some(([, one]) => one.block !== undefined)) {
        throw new TypeError(`${place}: a resource with blocks needs update: Terraform cannot replace it because of a block`);
    }
    const attributes = Object.fromEntries(all.map(([name, one]) => [name, { ...one, replaces: true }]));
    return { ...body, attributes };
}

// define/plugin_options


// define/rfc
class MiddlewareServer extends Plugin {
}
class PluginServer extends Plugin {
}
class StdioTransport {
    connect(plugin) {
        return plugin.serve();
    }
}

// hosts/host


// hosts/scripts
const DENOBRIDGE_VERSION = "0.4.1";
class Script {
    #methods;
    #goodbye = () => undefined;
    constructor(methods) {
        this.#methods = methods;
        queueMicrotask(() => {
            void serveStdio("denobridge", (output, goodbye) => {
                this.#goodbye = goodbye;
                return new JsonRpcConversation(this, output);
            }, async () => undefined, () => MASKED_OF_SCRIPTS);
        });
    }
    isMutating(method) {
        return method !== "health" && method !== "read" && method !== "modifyPlan";
    }
    event(method, params, calls) {
        if (method === "shutdown")
            this.#goodbye();
        if (method === "$/cancelRequest")
            calls.cancel(params?.id);
    }
    async request(request) {
        if (request.method === "health")
            return { ok: true };
        if (request.method === "shutdown") {
            setTimeout(this.#goodbye, 0);
            return {};
        }
        const method = Object.hasOwn(this.#methods, request.method) ? this.#methods[request.method] : undefined;
        if (method === undefined) {
            throw new Fault(METHOD_NOT_FOUND, `Method not found: ${request.method}`, { method: request.method });
        }
        try {
            const params = request.params ?? {};
            if (!isRecord(params))
                throw new Fault(INVALID_PARAMS, `the params of ${request.method} must be an object`);
            const answer = await method(params, request);
            checkJson(request.method, answer);
            return answer;
        }
        catch (error) {
            if (error instanceof Fault)
                throw error;
            const failure = asFailure(error);
            if (failure.path === undefined && failure.diagnostics.length === 0)
                throw new Fault(FAILED, failureText(failure));
            return {
                diagnostics: failureDiagnostics(failure).map(({ severity, summary, detail = "", path }) => ({
                    severity,
                    summary,
                    detail,
                    ...(path === undefined ? {} : { propPath: path.map(String) }),
                })),
            };
        }
    }
}
function joined(plain, sensitive) {
    if (!isRecord(sensitive))
        return plain ?? null;
    return { ...(isRecord(plain) ? plain : {}), sensitive };
}
function parted(value, plain, secret) {
    const shown = revealed(value);
    if (!hasMembers(shown))
        return { [plain]: shown ?? null };
    const { sensitive, ...rest } = shown;
    const hasOthers = Object.keys(rest).length > 0 || sensitive === undefined;
    return {
        [plain]: hasOthers ? rest : null,
        ...(sensitive === undefined || sensitive === null ? {} : { [secret]: sensitive }),
    };
}
function withWriteOnly(props, writeOnly) {
    return writeOnly === undefined || writeOnly === null ? props : { ...(isRecord(props) ? props : {}), writeOnly };
}
function refusal(answer) {
    if (!isRecord(answer) || !Array.isArray(answer["diagnostics"]))
        return undefined;
    return answer.diagnostics.some(({ severity }) => severity === "error")
        ? answer
        : undefined;
}
function warned(answer) {
    if (!isRecord(answer) || !Array.isArray(answer["diagnostics"]))
        return [{}, answer];
    const { diagnostics, ...rest } = answer;
    return [{ diagnostics }, Object.keys(rest).length === 0 ? undefined : rest];
}
class ResourceProvider extends Script {
    constructor(methods) {
        const any = methods;
        super({
            async create(params) {
                const answer = await any.create(withWriteOnly(params["props"], params["writeOnlyProps"]));
                const refused = refusal(answer);
                if (refused !== undefined)
                    return refused;
                const [warnings, result] = warned(answer);
                const { id, state } = (result ?? {});
                if (id === undefined || id === null)
                    throw incomplete("create", "an id", "{ id, state }");
                return { id, ...parted(state, "state", "sensitiveState"), ...warnings };
            },
            async read(params) {
                const answer = await any.read(params["id"], params["props"]);
                const refused = refusal(answer);
                if (refused !== undefined)
                    return refused;
                const [warnings, result] = warned(answer);
                const { exists, props, state } = (result ?? {});
                if (exists === false)
                    return { exists: false, ...warnings };
                if (props === undefined || props === null) {
                    throw incomplete("read", "props", "{ props, state }, or { exists: false } if it is gone");
                }
                return { props, ...parted(state, "state", "sensitiveState"), ...warnings };
            },
            async update(params) {
                const state = joined(params["currentState"], params["currentSensitiveState"]);
                const answer = await any.update(params["id"], withWriteOnly(params["nextProps"], params["nextWriteOnlyProps"]), params["currentProps"], state);
                const refused = refusal(answer);
                if (refused !== undefined)
                    return refused;
                const [warnings, result] = warned(answer);
                return { ...parted(result, "state", "sensitiveState"), ...warnings };
            },
            async delete(params) {
                const answer = await any.delete(params["id"], params["props"], joined(params["state"], params["sensitiveState"]));
                return refusal(answer) ?? { done: true, ...warned(answer)[0] };
            },
            ...(any.modifyPlan === undefined ? {} : {
                async modifyPlan(params) {
                    const state = joined(params["currentState"], params["currentSensitiveState"]);
                    const answer = await any.modifyPlan?.(params["id"] ?? null, params["planType"], params["nextProps"] ?? null, params["currentProps"] ?? null, state);
                    return answer ?? { noChanges: true };
                },
            }),
        });
    }
}
class DatasourceProvider extends Script {
    constructor(methods) {
        super({
            async read(params) {
                const answer = await methods.read(params["props"]);
                const refused = refusal(answer);
                if (refused !== undefined)
                    return refused;
                const [warnings, result] = warned(answer);
                if (result === undefined)
                    throw incomplete("read", "a result", "the result");
                return { ...parted(result, "result", "sensitiveResult"), ...warnings };
            },
        });
    }
}
class EphemeralResourceProvider extends Script {
    constructor(methods) {
        const { renew, close } = methods;
        super({
            async open(params) {
                const answer = await methods.open(params["props"]);
                const refused = refusal(answer);
                if (refused !== undefined)
                    return refused;
                const [warnings, opened] = warned(answer);
                const { result, renewAt, privateData } = (opened ?? {});
                if (result === undefined)
                    throw incomplete("open", "a result", "{ result }");
                return { ...parted(result, "result", "sensitiveResult"), ...present({ renewAt, privateData }), ...warnings };
            },
            ...(renew === undefined ? {} : {
                async renew(params) {
                    const answer = await renew.call(methods, params["privateData"]);
                    const refused = refusal(answer);
                    if (refused !== undefined)
                        return refused;
                    const [warnings, renewed] = warned(answer);
                    return { ...present((renewed ?? {})), ...warnings };
                },
            }),
            ...(close === undefined ? {} : {
                async close(params) {
                    const answer = await close.call(methods, params["privateData"]);
                    return refusal(answer) ?? { done: true, ...warned(answer)[0] };
                },
            }),
        });
    }
}
class ActionProvider extends Script {
    constructor(methods) {
        super({
            async invoke(params, { notify }) {
                const progress = async (message) => notify("invokeProgress", { message });
                const answer = await methods.invoke(params["props"], progress);
                return refusal(answer) ?? { done: true, ...warned(answer)[0] };
            },
        });
    }
}
function incomplete(method, missing, wanted) {
    return new Error(`${method} returned nothing that has ${missing}; return ${wanted}`);
}
function checkJson(method, value, path = []) {
    const refused = (found, hint = "") => new Error(`${method} returned ${found} in ${path.join(".")}, which cannot be written as JSON${hint}`);
    if (typeof value === "number" && !Number.isFinite(value))
        throw refused(String(value));
    if (path.length > DEEPEST) {
        const place = path.slice(0, 3).join(".");
        throw new Error(`${method} returned a value in ${place} that is nested more than ${DEEPEST} levels deep, or contains itself`);
    }
    if (Array.isArray(value))
        value.forEach((one, index) => checkJson(method, one, [...path, String(index)]));
    else if (isRecord(value) && !("toJSON" in value)) {
        const given = value;
        if (given instanceof Set)
            throw refused("a Set", "; return [...set]");
        if (!hasMembers(given))
            throw refused(jsName(given), hintFor(given));
        for (const name in given)
            checkJson(method, given[name], [...path, name]);
    }
}
function present(members) {
    return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

// hosts/zod_scripts
async function parsed(schema, value, root) {
    if (schema === undefined)
        return value;
    const result = await schema["~standard"].validate(value ?? undefined);
    if (result.issues === undefined)
        return result.value;
    throw new RefusedValue(result.issues.map(({ message, path = [] }) => ({
        severity: "error",
        summary: "Invalid value",
        detail: message,
        ...(path.length === 0
            ? {}
            : { propPath: [root, ...path.map((step) => String(typeof step === "object" ? step.key : step))] }),
    })));
}
class RefusedValue extends Error {
    diagnostics;
    constructor(diagnostics) {
        super("invalid value");
        this.diagnostics = diagnostics;
    }
}
async function checked(work) {
    try {
        return await work();
    }
    catch (error) {
        if (error instanceof RefusedValue)
            return { diagnostics: error.diagnostics };
        throw error;
    }
}
class ZodResourceProvider extends ResourceProvider {
    constructor(props, second, third) {
        const state = third === undefined ? undefined : second;
        const methods = (third ?? second);
        const given = (value, root) => (value === null || value === undefined ? value : parsed(props, value, root));
        const stored = (value) => (value === null || value === undefined ? value : parsed(state, value, "state"));
        const returned = async (answer) => (refusal(answer) !== undefined || answer === undefined || !("state" in answer)
            ? answer
            : { ...answer, state: await parsed(state, answer.state, "state") });
        super({
            create: (value) => checked(async () => returned(await methods.create(await given(value, "props")))),
            read: (id, value) => checked(async () => returned(await methods.read(id, await given(value, "props")))),
            update: (id, next, current, before) => checked(async () => {
                const answer = await methods.update(id, await given(next, "nextProps"), await given(current, "currentProps"), await stored(before));
                return refusal(answer) !== undefined || answer === undefined ? answer : parsed(state, answer, "state");
            }),
            delete: (id, value, before) => checked(async () => methods.delete(id, await given(value, "props"), await stored(before))),
            ...(methods.modifyPlan === undefined ? {} : {
                modifyPlan: (id, kind, next, current, before) => methods.modifyPlan?.(id, kind, next, current, before),
            }),
        });
    }
}
class ZodDatasourceProvider extends DatasourceProvider {
    constructor(props, result, methods) {
        super({
            read: (value) => checked(async () => {
                const answer = await methods.read(await parsed(props, value, "props"));
                return refusal(answer) ?? parsed(result, answer, "result");
            }),
        });
    }
}
class ZodEphemeralResourceProvider extends EphemeralResourceProvider {
    constructor(props, result, privateData, methods) {
        const kept = (value) => (value === undefined || value === null ? undefined : parsed(privateData, value, "privateData"));
        const { renew, close } = methods;
        super({
            open: (value) => checked(async () => {
                const answer = await methods.open(await parsed(props, value, "props"));
                if (refusal(answer) !== undefined)
                    return answer;
                return {
                    ...answer,
                    result: await parsed(result, answer.result, "result"),
                    ...(answer.privateData === undefined ? {} : { privateData: await kept(answer.privateData) }),
                };
            }),
            ...(renew === undefined
                ? {}
                : { renew: (value) => checked(async () => renew.call(methods, await kept(value))) }),
            ...(close === undefined
                ? {}
                : { close: (value) => checked(async () => close.call(methods, await kept(value))) }),
        });
    }
}
class ZodActionProvider extends ActionProvider {
    constructor(props, methods) {
        super({
            invoke: (value, progress) => checked(async () => methods.invoke(await parsed(props, value, "props"), progress)),
        });
    }
}

// hosts/memory_host
function memoryHost(plugin, host) {
    const session = new Session(plugin);
    const received = [];
    const conversation = converse(host, session, { write: (frame) => received.push(frame) }, () => undefined);
    return {
        received,
        send: (bytes) => conversation.receive(typeof bytes === "string" ? new TextEncoder().encode(bytes) : bytes),
        end: async () => {
            await conversation.finish();
            await session.abandon();
        },
    };
}

// hosts/testing_values
function withoutDefaults(given) {
    return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined && value !== null));
}
function withDefaults(given, attributes) {
    const defaults = Object.entries(attributes).filter(([name, one]) => one.default !== undefined && (given[name] ?? undefined) === undefined);
    return { ...withoutDefaults(given), ...Object.fromEntries(defaults.map(([name, one]) => [name, one.default])) };
}
function relaxed(attributes) {
    return Object.fromEntries(Object.entries(attributes).map(([name, one]) => [name, { ...one, optional: true }]));
}
function wholeOf(part, known, isStored = false) {
    const names = new Set(["id", ...Object.keys(part.body.attributes), ...Object.keys(part.state)]);
    return Object.fromEntries([...names].sort().map((name) => {
        const isHidden = isStored && part.body.attributes[name]?.writeOnly === true;
        return [name, isHidden ? null : known[name] ?? null];
    }));
}
function computed(part, prior) {
    if (prior === null)
        return {};
    return Object.fromEntries(["id", ...Object.keys(part.state)].map((name) => [name, prior[name] ?? null]));
}
function readState(part, wire, isPlan) {
    const attributes = { ...part.body.attributes, ...part.state, id: { type: { kind: "string" } } };
    const found = readObject(wire, attributes, {
        ...CTY_READING,
        allowUnknown: isPlan,
        ignoreExtra: true,
        isPartial: true,
    });
    return plainSecrets(found);
}
function plainSecrets(values) {
    return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, revealed(value)]));
}
function plain(value) {
    const shown = revealed(value);
    if (shown instanceof Set)
        return [...shown].map(plain);
    if (Array.isArray(shown))
        return shown.map(plain);
    if (!isRecord(shown))
        return shown;
    return Object.fromEntries(Object.entries(shown).map(([name, one]) => [name, plain(one)]));
}
function packable(value) {
    if (value instanceof Unknown || value === unknown)
        return "(unknown)";
    if (typeof value === "bigint")
        return value.toString();
    if (value instanceof Uint8Array)
        return Array.from(value);
    if (Array.isArray(value))
        return value.map(packable);
    if (!isRecord(value))
        return value ?? null;
    return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, one]) => [name, packable(one)]));
}

// hosts/testing
class Host {
    #session;
    #seasonings;
    #orchard;
    #stream = new MessageStream();
    #answers = new Map();
    #orchardText = "";
    #last = 0;
    #isBegun = false;
    events = [];
    warnings = [];
    constructor(plugin, config = {}) {
        this.#session = new Session(plugin);
        const nothing = () => undefined;
        this.#seasonings = converse("seasonings", this.#session, { write: (frame) => this.#received(frame) }, nothing);
        this.#orchard = converse("orchard", this.#session, { write: (frame) => this.#line(String(frame)) }, nothing);
        this.#config = config;
    }
    #config;
    #received(frame) {
        for (const message of this.#stream.push(frame)) {
            const [kind, ...rest] = message;
            if (kind === 2) {
                const [method, params] = rest;
                this.events.push({ method, params: params[0] });
                continue;
            }
            const [id, error, result] = rest;
            const waiting = this.#answers.get(id);
            this.#answers.delete(id);
            if (error === null)
                waiting?.resolve(result);
            else {
                const [code, message = "", data] = error;
                const argument = data?.["argument"];
                waiting?.reject(new Failure(message, { code: String(code), ...(typeof argument === "string" ? { path: [argument] } : {}) }));
            }
        }
    }
    #line(text) {
        this.#orchardText += text;
        if (!this.#orchardText.endsWith("\n"))
            return;
        const { id, error, result } = parseJson(this.#orchardText);
        this.#orchardText = "";
        const waiting = this.#answers.get(id);
        this.#answers.delete(id);
        if (error === undefined)
            waiting?.resolve(result);
        else
            waiting?.reject(new Failure(error.message, { code: error.code, detail: error.detail }));
    }
    call(method, params = {}) {
        return this.#send((id) => this.#seasonings.receive(pack([0, id, method, [params]])));
    }
    #send(send) {
        this.#last += 1;
        const id = this.#last;
        return new Promise((resolve, reject) => {
            this.#answers.set(id, { resolve, reject });
            send(id);
        });
    }
    async #begin() {
        if (this.#isBegun)
            return;
        this.#isBegun = true;
        const { parts } = this.#session;
        await this.call("init", {
            protocol_version: 1,
            host: { name: "test", version: "1" },
            capabilities: [],
            config: {},
        });
        if (parts.configure === undefined)
            return;
        const config = writeObject(withDefaults(this.#config, parts.config.attributes), parts.config.attributes, "msgpack");
        this.#checked(await this.call("resources/configure", { config }));
    }
    #checked(result) {
        const found = (result["diagnostics"] ?? []);
        this.warnings.push(...found.filter((one) => one.severity === "warning"));
        if (found.some((one) => one.severity === "error"))
            throw Failure.all(found);
        return result;
    }
    async callFunction(name, given = {}) {
        await this.#begin();
        const part = this.#session.parts.functions.get(name);
        const list = part?.variadic === undefined
            ? {}
            : { [part.variadic.name]: { type: { kind: "list", element: part.variadic.element } } };
        const parameters = { ...part?.body.attributes, ...list };
        const args = {};
        for (const [key, value] of Object.entries(given)) {
            args[key] = parameters[key] === undefined ? value : writeDeclared(value, parameters[key], "msgpack");
        }
        const { result } = await this.call("functions/call", { name, arguments: args });
        return part === undefined ? result : readValue(result, { ...part.returns, nullable: true }, CTY_READING);
    }
    async runAction(name, given = {}) {
        await this.#begin();
        const line = (id) => new TextEncoder().encode(`${stringifyJson({ id, method: "execute", params: { action: name, attrs: plain(given) } })}\n`);
        const { outputs } = await this.#send((id) => this.#orchard.receive(line(id)));
        return outputs;
    }
    #resource(type) {
        const part = this.#session.parts.resources.get(type);
        if (part === undefined) {
            throw new Failure(this.#session.missing("resource", type, this.#session.parts.resources.keys()));
        }
        return part;
    }
    async plan(type, given, existing) {
        await this.#begin();
        const part = this.#resource(type);
        const config = wholeOf(part, writeObject(withoutDefaults(given), relaxed(part.body.attributes), "msgpack"));
        const defaults = writeObject(withDefaults(given, part.body.attributes), part.body.attributes, "msgpack");
        const prior = existing?.wire ?? null;
        const proposed = wholeOf(part, { ...defaults, ...computed(part, prior) }, true);
        this.#checked(await this.call("resources/validate", { kind: "resource", type, config }));
        const whole = { part, prior, config };
        const answer = this.#checked(await this.call("resources/planChange", { type, prior, config, proposed, private: existing?.private ?? null }));
        const planned = (answer["planned"] ?? plannedChange(whole, proposed));
        const replaced = Array.isArray(answer["replace"]) ||
            prior !== null &&
                Object.entries(part.body.attributes).some(([name, one]) => one.replaces === true && JSON.stringify(packable(prior[name])) !== JSON.stringify(packable(planned[name])));
        const action = prior === null
            ? "create"
            : replaced
                ? "replace"
                : JSON.stringify(packable(prior)) === JSON.stringify(packable(planned))
                    ? "none"
                    : "update";
        const warnings = (answer["diagnostics"] ?? []);
        const keep = answer["private"] instanceof Uint8Array ? answer["private"] : existing?.private;
        return {
            type,
            action,
            planned: readState(part, planned, true),
            warnings,
            wire: { prior, config, planned, private: keep },
        };
    }
    async apply(type, given, existing) {
        const plan = await this.plan(type, given, existing);
        if (plan.action === "none" && existing !== undefined)
            return existing;
        if (plan.action === "replace" && existing !== undefined) {
            await this.destroy(existing);
            return this.apply(type, given);
        }
        const { prior, config, planned, private: kept } = plan.wire;
        const answer = this.#checked(await this.call("resources/applyChange", { type, prior, config, planned, private: kept ?? null }));
        return this.#tested(type, answer["state"], answer["private"], kept);
    }
    async read(resource) {
        await this.#begin();
        const answer = this.#checked(await this.call("resources/read", {
            type: resource.type,
            state: resource.wire,
            private: resource.private ?? null,
        }));
        return answer["state"] === null
            ? undefined
            : this.#tested(resource.type, answer["state"], answer["private"], resource.private);
    }
    async import(type, id) {
        await this.#begin();
        const part = this.#resource(type);
        const answer = this.#checked(await this.call("resources/import", { type, id }));
        const wire = wholeOf(part, answer["state"], true);
        return this.read({ type, state: {}, wire, private: answer["private"] });
    }
    async destroy(resource) {
        await this.#begin();
        this.#checked(await this.call("resources/applyChange", {
            type: resource.type,
            prior: resource.wire,
            planned: null,
            config: null,
            private: resource.private ?? null,
        }));
    }
    async upgrade(type, version, stored) {
        await this.#begin();
        const answer = this.#checked(await this.call("resources/upgrade", { type, version, state: stored }));
        return this.#tested(type, answer["state"], undefined, undefined);
    }
    #tested(type, wire, kept, before) {
        const data = kept instanceof Uint8Array ? kept : before;
        return {
            type,
            state: readState(this.#resource(type), wire, false),
            wire,
            private: data === undefined || data.length === 0 ? undefined : data,
        };
    }
    async readData(type, given = {}) {
        await this.#begin();
        const part = this.#session.parts.dataSources.get(type);
        const attributes = part?.body.attributes ?? {};
        const config = writeObject(withDefaults(given, attributes), attributes, "msgpack");
        const { state } = this.#checked(await this.call("resources/readData", { type, config }));
        return plainSecrets(readObject(state, part?.result ?? {}, { ...CTY_READING, ignoreExtra: true }));
    }
    async open(type, given = {}) {
        await this.#begin();
        const part = this.#session.parts.ephemerals.get(type);
        const attributes = part?.body.attributes ?? {};
        const config = writeObject(withDefaults(given, attributes), attributes, "msgpack");
        const answer = this.#checked(await this.call("resources/open", { type, config }));
        let kept = answer["private"] ?? null;
        const result = plainSecrets(readObject(answer["result"], part?.result ?? {}, { ...CTY_READING, ignoreExtra: true }));
        const renewAt = answer["renew_at"];
        return {
            result,
            ...(typeof renewAt === "string" ? { renewAt: new Date(renewAt) } : {}),
            renew: async () => {
                const renewed = this.#checked(await this.call("resources/renew", { type, private: kept }));
                kept = renewed["private"] ?? kept;
            },
            close: async () => void this.#checked(await this.call("resources/close", { type, private: kept })),
        };
    }
    async hook(name, params = {}) {
        await this.#begin();
        return this.call(`middleware/${name}`, params);
    }
    async storage(name, params = {}) {
        await this.#begin();
        return this.call(`storage/${name}`, params);
    }
    async close() {
        await this.#seasonings.finish();
        await this.#session.shutDown();
    }
}

// core


module.exports = {
  ActionProvider,
  Big,
  Context,
  DENOBRIDGE_VERSION,
  DatasourceProvider,
  EphemeralResourceProvider,
  Failure,
  Field,
  Host,
  MiddlewareServer,
  Plugin,
  PluginServer,
  ResourceProvider,
  Secret,
  StdioTransport,
  Typed,
  Unknown,
  WriteOnly,
  ZodActionProvider,
  ZodDatasourceProvider,
  ZodEphemeralResourceProvider,
  ZodResourceProvider,
  any,
  big,
  bigint,
  block,
  bool,
  hasUnknown,
  integer,
  isBig,
  isFailure,
  isSecret,
  isUnknown,
  list,
  map,
  memoryHost,
  number,
  object,
  set,
  string,
  tuple,
  unknown,
};
