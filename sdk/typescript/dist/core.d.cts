// Made by bundle.mjs out of src/. Do not edit.


// values/failure
/** A place in what a plugin was given: names of attributes, keys of maps, positions in lists. */
type Path = readonly (string | number)[];
/** A problem or a warning, and what it is about. */
interface Diagnostic {
    severity: "error" | "warning";
    summary: string;
    detail?: string | undefined;
    path?: Path | undefined;
}
/** What a {@link Failure} has besides its message. */
interface FailureOptions {
    /** More about it, in as many lines as it takes. */
    detail?: string | undefined;
    /** The attribute or parameter that it is about. */
    path?: Path | string | undefined;
    /** A code for programs, such as `outcome_unknown` or one of your own. Only Orchard and ipc have a place for it. */
    code?: string | undefined;
    /** The error that caused it. */
    cause?: unknown;
}
/** A lock of a state. */
interface Lock {
    /** The id that the client chose. */
    id: string;
    /** What the client says about itself, as JSON. */
    info: string;
}
declare const FAILURE: unique symbol;
/**
 * Why something could not be done. Its texts are for the user, so secrets do not belong there. Any other error
 * that a handler throws reaches the user as well, with its message.
 */
declare class Failure extends Error {
    name: string;
    readonly detail: string | undefined;
    readonly path: Path | undefined;
    readonly code: string | undefined;
    /** Further problems, each with its own path. */
    readonly diagnostics: readonly Diagnostic[];
    /** @internal The answer of a storage whose state is locked. */
    held: Lock | null | undefined;
    constructor(message: string, options?: FailureOptions, diagnostics?: readonly Diagnostic[]);
    get [FAILURE](): true;
    /** A failure about an attribute or parameter: `Failure.at("port", "0 is not a port")`. */
    static at(path: Path | string, message: string, options?: Omit<FailureOptions, "path">): Failure;
    /**
     * A failure whose outcome is unknown: the request was sent, and no answer says whether it took effect. The
     * host does not repeat such an action unless it is idempotent.
     */
    static outcomeUnknown(message: string, options?: Omit<FailureOptions, "code">): Failure;
    /** Several problems at once. */
    static all(diagnostics: readonly Diagnostic[]): Failure;
    /** A state that another client has locked, or whose lock this client has lost. */
    static locked(held?: Lock): Failure;
}
/** Whether an error is a {@link Failure}. */
declare function isFailure(error: unknown): error is Failure;
/** Whether an error is a mistake in the program, and does not say that something failed. */
declare function isMistake(error: unknown): boolean;
/** Any thrown value as a failure, with the causes of an error, and the errors that it is made of, as its detail. */
declare function asFailure(thrown: unknown): Failure;
/** `city: unknown city "Atlantis"`: what hosts with one text for an error show. */
declare function failureText(failure: Failure): string;
/** The diagnostics of a failure: those it was made of, or itself. */
declare function failureDiagnostics(failure: Failure): readonly Diagnostic[];
/** A diagnostic in one line. */
declare function diagnosticText({ summary, detail, path }: Diagnostic): string;

// define/context
/** How serious a line of the log is. */
type Level = "trace" | "debug" | "info" | "warn" | "error";
/** What a host offers to a handler while it works. */
interface Reporter {
    progress?(message: string, done?: number, total?: number): void;
    log?(level: Level, message: string, fields?: Record<string, unknown>): void;
}
/** A call that a host may cancel. */
interface Cancellable {
    readonly signal: AbortSignal;
    readonly isCancelled: boolean;
    /** Where warnings are kept, so that they are not lost if the call fails. */
    readonly warnings?: Diagnostic[];
}
/** What a warning is about. */
interface WarningOptions {
    detail?: string;
    path?: Path | string;
}
/** What a handler has besides its arguments. `State` is what `configure` returned. */
declare class Context<State = undefined> {
    #private;
    /** @internal */
    readonly warnings: Diagnostic[];
    /** @internal What a resource keeps for itself: nothing changed, or other data. */
    kept: Uint8Array | null | undefined;
    /** @internal Where there is no state, `state` says so to the handler that asks for it. */
    constructor(state: () => State, call: Cancellable, reporter: Reporter, stored?: Uint8Array);
    /** What `configure` returned. @throws {Failure} The plugin is not configured: only functions can be called before that. */
    get state(): State;
    /** Aborted when the host cancels the call, except for one that changes something: its outcome counts. */
    get signal(): AbortSignal;
    /** Whether the host has cancelled the call. */
    get cancelled(): boolean;
    /** Tells the user how far the work is. A host without progress ignores it. */
    progress(message: string, steps?: {
        done?: number;
        total?: number;
    }): void;
    /** Writes a line to the log: of the host if it has one, otherwise stderr. */
    log(message: string, level?: Level, fields?: Record<string, unknown>): void;
    /** A warning for the user, beside the result. */
    warn(summary: string, options?: WarningOptions): void;
    /**
     * Data that a resource keeps for itself, invisible to users; only Seasonings has a place for it. Assign other
     * data to change it, `undefined` to remove it.
     */
    get private(): Uint8Array | undefined;
    set private(data: Uint8Array | undefined);
    /** @internal The call is answered: what is reported from now on would belong to none. */
    end(): void;
}

// values/big
declare const BIG: unique symbol;
/**
 * A decimal number with all its digits, where a `number` of JavaScript would round: `0.1000000000000000000001`,
 * or `18446744073709551617.5`. Immutable.
 */
declare class Big {
    #private;
    /**
     * Reads a number: digits with a sign, a point and an exponent as in JSON.
     *
     * @throws {RangeError} It is not such a number, or has too many digits.
     */
    constructor(text: string | number | bigint);
    get [BIG](): true;
    /** Whether there is nothing behind the point. */
    get isInteger(): boolean;
    /** @throws {RangeError} It is not an integer. */
    toBigInt(): bigint;
    /** The nearest `number`, which may have fewer digits. */
    toNumber(): number;
    /** The whole number, without an exponent. */
    toString(): string;
    /** Whether both are the same number. */
    equals(other: Big | number | bigint): boolean;
    /** Whether a `number` has exactly this value, as binary fractions do: 0.5, but not 0.1. */
    get isBinary(): boolean;
    /** @throws {TypeError} As a number: digits could be lost. Use `toNumber()`. */
    [Symbol.toPrimitive](hint: string): string;
    /** @throws {TypeError} Always: JSON.stringify cannot write all digits. */
    toJSON(): never;
}
/** Whether a value is a {@link Big}. */
declare function isBig(value: unknown): value is Big;
/** A number in the smallest of the three forms that has all its digits. */
type Exact = number | bigint | Big;
/**
 * The number that a text has: a `number` if its shortest form has the same value, otherwise a `bigint` or a
 * {@link Big}. `undefined` if the text is not a number.
 */
declare function exactNumber(text: string): Exact | undefined;
/** A number as a plain decimal text. */
declare function decimalText(number: Exact): string;

// values/type
/** How many of a block there are, and how they are told apart. */
type Nesting = "single" | "list" | "set" | "map" | "group";
/** What is declared about an attribute, a parameter or a block. */
interface Declaration {
    readonly type: Type;
    readonly optional?: boolean;
    readonly default?: unknown;
    readonly nullable?: boolean;
    readonly allowUnknown?: boolean;
    readonly secret?: boolean;
    readonly writeOnly?: boolean;
    /** A secret that arrives as it is, because the schema of a library knows no `Secret`. */
    readonly isBare?: boolean;
    readonly replaces?: boolean;
    readonly stable?: boolean;
    readonly idempotencyKey?: boolean;
    readonly description?: string;
    readonly deprecated?: string;
    /** The only values that there are, for agents; the schema of the author checks it. */
    readonly choices?: readonly unknown[];
    readonly block?: {
        readonly nesting: Nesting;
        readonly min?: number;
        readonly max?: number;
    };
}
/** Attributes by their names, in the order of their declaration. */
type Declarations = {
    readonly [name: string]: Declaration;
};
/** A type of Terraform's, and which form it has in JavaScript. */
type Type = {
    readonly kind: "string" | "bool" | "any";
} | {
    readonly kind: "number";
    readonly as: "number" | "integer" | "bigint" | "big" | "exact";
} | {
    readonly kind: "list" | "set" | "map";
    readonly element: Declaration;
} | {
    readonly kind: "tuple";
    readonly elements: readonly Declaration[];
} | {
    readonly kind: "object";
    readonly attributes: Declarations;
};
/** A type in the notation of cty. */
type TypeJson = string | readonly [string, ...unknown[]];
/** A type as a text, as schemas have it: `object({ a = optional(number) })`. */
declare function typeText(type: Type): string;
/** A type in JSON notation. */
declare function typeJson(type: Type): TypeJson;
/**
 * Reads a type in JSON notation. `undefined` if it is not one.
 */
declare function typeFromJson(json: unknown, depth?: number): Type | undefined;
/** Whether an attribute can be left out. */
declare function isOptional(one: Declaration): boolean;
/** Whether a value of this declaration cannot be null. */
declare function mustBeThere(one: Declaration): boolean;
/** Whether a value of this declaration is a secret, or has one in it. */
declare function holdsSecret({ secret, writeOnly, type }: Declaration): boolean;
/** The declaration of a name that is known to be there. */
declare function declared(attributes: Declarations, name: string): Declaration;
/** Sets a member, also one called `__proto__`. */
declare function put(object: Record<string, unknown>, name: string, value: unknown): void;
/** The order of texts by their bytes in UTF-8, which is that of their code points. */
declare function bytewise(a: string, b: string): number;
/** A type with its article, for errors. */
declare function typeName(type: Type): string;

// values/secret
declare const SECRET: unique symbol;
/** A value that is not printed: not by `console.log`, not as a text, not as JSON. */
declare class Secret<T> {
    #private;
    constructor(value: T);
    get [SECRET](): true;
    /** The value itself. */
    reveal(): T;
    toString(): string;
    toJSON(): string;
}
/** A value that Terraform passes to the plugin and stores nowhere. */
declare class WriteOnly<T> extends Secret<T> {
}
/** Whether a value is a {@link Secret}. */
declare function isSecret(value: unknown): value is Secret<unknown>;
/** The value inside a {@link Secret}; any other value as it is. */
declare function revealed(value: unknown): unknown;

// values/unknown
/** One end of the range that an unknown number is in. */
interface Bound {
    readonly value: number | bigint | Big;
    readonly inclusive: boolean;
}
/** What is known already about a value that is not known yet. */
interface Refinement {
    /** It will not be null. */
    readonly notNull?: boolean;
    /** What the text begins with. */
    readonly prefix?: string;
    /** The lower bound of the number. */
    readonly min?: Bound;
    /** The upper bound of the number. */
    readonly max?: Bound;
    /** The least number of elements. */
    readonly minLength?: number;
    /** The greatest number of elements. */
    readonly maxLength?: number;
}
declare const UNKNOWN: unique symbol;
/**
 * A value that is not known yet: Terraform knows it only after apply. It cannot be used as a text or a
 * number, and it cannot be written as JSON: each of these throws. JavaScript treats every object as true in a
 * condition, so ask with {@link isUnknown}.
 */
declare class Unknown {
    /** What is known already. */
    readonly refinement: Refinement;
    constructor(refinement?: Refinement);
    get [UNKNOWN](): true;
    /** @throws {TypeError} Always. */
    [Symbol.toPrimitive](): never;
    /** @throws {TypeError} Always. */
    toString(): never;
    /** @throws {TypeError} Always. */
    toJSON(): never;
}
/** An unknown value of which nothing is known. */
declare const unknown: Unknown;
/** Whether a value is not known yet. */
declare function isUnknown(value: unknown): value is Unknown;
/** Whether a value, or a part of it, is not known yet. */
declare function hasUnknown(value: unknown): boolean;

// define/infer
/** What handlers get and return, by the fields that were declared. */
type Is<O, K extends string> = O extends {
    readonly [P in K]?: infer V;
} ? ([V] extends [true] ? true : false) : false;
/** What a handler gets for a field. */
type Given<F> = F extends Field<infer T, infer O> ? (Is<O, "writeOnly"> extends true ? WriteOnly<T> : Is<O, "secret"> extends true ? Secret<T> : T) | (Is<O, "nullable"> extends true ? null : never) | (Is<O, "allowUnknown"> extends true ? Unknown : never) : never;
type HasDefault<O> = O extends {
    default: infer D;
} ? ([D] extends [undefined] ? false : true) : false;
/** Whether a field may be missing in what a handler gets. */
type CanBeAbsent<F> = F extends Field<infer _T, infer O> ? Is<O, "writeOnly"> extends true ? true : HasDefault<O> extends true ? false : Is<O, "optional"> : never;
type AbsentKeys<S> = {
    [K in keyof S]: CanBeAbsent<S[K]> extends true ? K : never;
}[keyof S];
type Simplify<T> = {
    [K in keyof T]: T[K];
} & {};
/** The object that a handler gets for a shape. */
type Infer<S> = Simplify<{
    [K in Exclude<keyof S, AbsentKeys<S>>]: Given<S[K]>;
} & {
    [K in AbsentKeys<S>]?: Given<S[K]> | undefined;
}>;
type Loose<T> = T extends ReadonlySet<infer E> ? Iterable<E> : T;
type MayBeMissing<F> = F extends Field<infer _T, infer O> ? true extends Is<O, "secret"> | Is<O, "writeOnly"> | Is<O, "optional"> | Is<O, "nullable"> | HasDefault<O> ? true : false : never;
type MissingKeys<S> = {
    [K in keyof S]: MayBeMissing<S[K]> extends true ? K : never;
}[keyof S];
type Written<F> = F extends Field<infer T, infer O> ? Loose<T> | (true extends Is<O, "secret"> | Is<O, "writeOnly"> ? Secret<T> : never) : never;
/** The object that a handler returns for a shape. Secrets may be wrapped or plain. */
type Returned<S> = Simplify<{
    [K in Exclude<keyof S, MissingKeys<S>>]: Written<S[K]>;
} & {
    [K in MissingKeys<S>]?: Written<S[K]> | null | undefined;
}>;
/** A value that may be unknown, as may everything in it. */
type MaybeUnknown<T> = Unknown | (T extends Secret<unknown> | Big | Date | ReadonlySet<unknown> ? T : T extends readonly (infer E)[] ? MaybeUnknown<E>[] : T extends object ? {
    [K in keyof T]: MaybeUnknown<T[K]>;
} : T);
/** Planned props: each may be unknown. */
type MaybeUnknownProps<P> = {
    [K in keyof P]: MaybeUnknown<P[K]>;
};

// define/field
/** What can be said about an attribute or a parameter. */
interface FieldOptions<T = unknown> {
    /** For people. */
    description?: string;
    /** It can be left out; then it is `undefined`. */
    optional?: boolean;
    /** It can be left out; then it has this value. */
    default?: T;
    /** It can be null. Only needed where null differs from absent: parameters of functions, elements of lists and maps. */
    nullable?: boolean;
    /** A parameter of a function: it is called although this is not known yet. */
    allowUnknown?: boolean;
    /** It is not shown. It arrives as a `Secret`. */
    secret?: boolean;
    /** An attribute of a resource that is never stored. It arrives as a `WriteOnly`, and only when the resource is created or updated. */
    writeOnly?: boolean;
    /** A change of it makes a new resource. */
    replaces?: boolean;
    /** It is computed, and the same after an update. */
    stable?: boolean;
    /** An attribute of an action: two calls with the same key are performed once. */
    idempotencyKey?: boolean;
    /** Why it should not be used any more. */
    deprecated?: string;
}
declare const FIELD: unique symbol;
/** The declaration of an attribute or a parameter. `T` is what a handler gets. */
declare class Field<T, O = object> {
    #private;
    /** What is declared. */
    readonly declaration: Declaration;
    /** Never there: it carries the type. */
    readonly infer: T;
    /** Never there: it carries the options. */
    readonly options: O;
    constructor(declaration: Declaration);
    get [FIELD](): true;
    /** With a description for people. */
    describe(description: string): Field<T, O>;
    /** It can be left out; then it is `undefined`. */
    optional(): Field<T, O & {
        optional: true;
    }>;
    /** It can be left out; then it has this value. */
    default(value: T): Field<T, O & {
        default: T;
    }>;
    /** It can be null. */
    nullable(): Field<T, O & {
        nullable: true;
    }>;
    /** It is not shown, and arrives as a `Secret`. */
    secret(): Field<T, O & {
        secret: true;
    }>;
    /** It is never stored, and arrives as a `WriteOnly`. */
    writeOnly(): Field<T, O & {
        writeOnly: true;
    }>;
    /** A change of it makes a new resource. */
    replaces(): Field<T, O>;
    /** It is computed, and the same after an update. */
    stable(): Field<T, O>;
    /** A function is called although this parameter is not known yet. */
    allowUnknown(): Field<T, O & {
        allowUnknown: true;
    }>;
    /** Of an action: two calls with the same key are performed once. */
    idempotencyKey(): Field<T, O>;
    /** It should not be used any more. */
    deprecated(why: string): Field<T, O>;
}
/** Whether a value is a {@link Field}. */
declare function isField(value: unknown): value is Field<unknown>;
/** A field of any type. Not `Field<any, any>`: the options of a field in its place would be inferred as `any`. */
type AnyField = Field<unknown, object>;
/** Attributes or parameters by their names. */
type Shape = {
    readonly [name: string]: AnyField;
};
type Chosen<O> = O extends FieldOptions ? O : object;
/** A text. */
declare function string<const O extends FieldOptions<string>>(options?: string | O): Field<string, Chosen<O>>;
/** A number of JavaScript. One that it cannot hold without losing digits is refused: see {@link big} and {@link bigint}. */
declare function number<const O extends FieldOptions<number>>(options?: string | O): Field<number, Chosen<O>>;
/** A whole number up to 2^53. */
declare function integer<const O extends FieldOptions<number>>(options?: string | O): Field<number, Chosen<O>>;
/** A whole number of any size. */
declare function bigint<const O extends FieldOptions<bigint>>(options?: string | O): Field<bigint, Chosen<O>>;
/** A number with all its digits: a `number` where that is enough, otherwise a `bigint` or a `Big`. */
declare function big<const O extends FieldOptions<Exact>>(options?: string | O): Field<Exact, Chosen<O>>;
/** True or false. */
declare function bool<const O extends FieldOptions<boolean>>(options?: string | O): Field<boolean, Chosen<O>>;
/** Anything, also null: lists are arrays, maps are objects, and long numbers are `bigint` or `Big`. What is left out is null. */
declare function any<const O extends FieldOptions<unknown>>(options?: string | O): Field<unknown, Chosen<O>>;
type Element<F> = Given<F> | (CanBeAbsent<F> extends true ? null : never);
/** Values of one type in their order. */
declare function list<F extends AnyField, const O extends FieldOptions<Element<F>[]>>(element: F, options?: string | O): Field<Element<F>[], Chosen<O>>;
type SetOf<F> = F extends Field<infer T, infer _O> ? (T extends readonly unknown[] | ReadonlySet<unknown> | string | number | bigint | boolean ? Set<Element<F>> : T extends object ? Element<F>[] : Set<Element<F>>) : never;
/** Different values of one type, without an order: a `Set`; of objects, an array. */
declare function set<F extends AnyField, const O extends FieldOptions<SetOf<F>>>(element: F, options?: string | O): Field<SetOf<F>, Chosen<O>>;
/** Values of one type by their keys. */
declare function map<F extends AnyField, const O extends FieldOptions<Record<string, Element<F>>>>(element: F, options?: string | O): Field<Record<string, Element<F>>, Chosen<O>>;
/** An object of attributes, some of which may be optional. */
declare function object<S extends Shape, const O extends FieldOptions<Infer<S>>>(attributes: S, options?: string | O): Field<Infer<S>, Chosen<O>>;
/** A list of fixed length, each of whose elements has its own type. */
declare function tuple<const F extends readonly AnyField[], const O extends FieldOptions<{
    -readonly [K in keyof F]: Element<F[K]>;
}>>(elements: F, options?: string | O): Field<{
    -readonly [K in keyof F]: Element<F[K]>;
}, Chosen<O>>;
/** What can be said about a block. */
interface BlockOptions {
    /** `list` if it is left out. */
    nesting?: Nesting;
    /** How many there must be. */
    min?: number;
    /** How many there may be. */
    max?: number;
    description?: string;
    deprecated?: string;
}
type BlockOf<S, O> = O extends {
    nesting: "map";
} ? Record<string, Infer<S>> : O extends {
    nesting: "single" | "group";
} ? Infer<S> : Infer<S>[];
type BlockPresence<O> = O extends {
    nesting: "single";
} ? (O extends {
    min: 1;
} ? object : {
    optional: true;
}) : object;
/** A block of Terraform: `link { url = "..." }`. Its nesting is `list` unless it is said otherwise. */
declare function block<S extends Shape, const O extends BlockOptions>(attributes: S, options?: O): Field<BlockOf<S, O>, BlockPresence<O>>;
/** The declarations of a shape. */
declare function declarations(shape: Shape): Declarations;

// define/hooks
/** What happens to a resource. */
type ChangeAction = "Create" | "Read" | "Update" | "Replace" | "Delete" | "NoOp" | "Forget";
/** A resource, and what happens to it. Names are those of the protocol. */
interface Change {
    /** The whole address, such as `module.a.aws_instance.b[0]`. */
    address: string;
    provider: string;
    resource_type: string;
    resource_name: string;
    resource_mode: "managed" | "data";
    module?: string;
    index?: string | number;
    planned_action?: ChangeAction;
    applied_action?: ChangeAction;
    /** Its values before; null if it is created. */
    before: any;
    /** Its values after; null if it is deleted. What is known only after apply is an `Unknown`. */
    after: any;
    /** Constants of its configuration, and `Unknown` where there is an expression. */
    config: any;
    /** This resource alone. */
    resources: Change[];
    /** Where values are null because they are sensitive. */
    sensitive_paths: (string | number)[][];
    /** What earlier plugins noted, by their names. */
    metadata: Record<string, unknown>;
}
/** A part of a command, with all its resources. */
interface Stage {
    stage: string;
    resources: Change[];
    summary: {
        add: number;
        change: number;
        destroy: number;
        import: number;
    };
    /** What went wrong, after a failure. */
    errors?: string[];
    plan_sha256?: string;
}
/** What a plugin thinks of a change or a stage. Nothing at all is a success. */
type Verdict = void | undefined | null | {
    status?: "success" | "pass" | "ok" | "warning" | "warn" | "fail";
    message?: string;
    warnings?: string[];
    /** Notes about the resource, for later plugins. */
    metadata?: Record<string, unknown>;
};
/** A hook that is called for each resource. */
type ChangeHandler<State> = (change: Change, context: Context<State>) => Verdict | Promise<Verdict>;
/** A hook that is called once for a part of a command. */
type StageHandler<State> = (stage: Stage, context: Context<State>) => Verdict | Promise<Verdict>;
declare const RESOURCE_HOOKS: readonly ["prePlan", "postPlan", "preApply", "postApply", "preRefresh", "postRefresh"];
declare const STAGE_HOOKS: readonly ["initStageStart", "initStageCompleted", "initStageFailed", "planStageStart", "planStageCompleted", "planStageFailed", "applyStageStart", "applyStageCompleted", "applyStageFailed"];
type ResourceHook = (typeof RESOURCE_HOOKS)[number];
type StageHook = (typeof STAGE_HOOKS)[number];

// values/awaitable
/** A value, or a promise of one. */
type Awaitable<T> = T | Promise<T>;
/**
 * Goes on with a value: at once if it is there, later if it is a promise. A small call takes no longer than the promises that it
 * would otherwise be made of.
 */
declare function proceed<T, R>(value: Awaitable<T>, next: (value: T) => Awaitable<R>): Awaitable<R>;
/** All values, once the last of them is there. */
declare function allOf<T>(values: readonly Awaitable<T>[]): Awaitable<T[]>;
/** Whether a value is a promise, of this or another library. */
declare function isPromise<T>(value: T | Promise<T>): value is Promise<T>;

// define/zod
/** Whether a schema is one of zod's. */
declare function isZod(schema: StandardSchema): boolean;
/** Whether a host sends the value, or the author returns it. What a schema converts first is neither. */
type Direction = "given" | "returned" | "converted";
/**
 * The declaration that a schema of zod makes. What Terraform's types cannot express becomes `any`.
 *
 * @throws {TypeError} It accepts nothing that a host can send.
 */
declare function declarationOfZod(schema: unknown, place: string, direction: Direction, depth?: number): Declaration;

// define/standard
/** A schema of zod, Valibot, ArkType or another library that follows standardschema.dev. */
interface StandardSchema<Input = unknown, Output = Input> {
    readonly "~standard": {
        readonly version: 1;
        readonly vendor: string;
        validate(value: unknown): StandardResult<Output> | Promise<StandardResult<Output>>;
        readonly types?: {
            readonly input: Input;
            readonly output: Output;
        } | undefined;
    };
}
/** What a schema says about a value. */
type StandardResult<Output> = {
    readonly value: Output;
    readonly issues?: undefined;
} | {
    readonly issues: readonly {
        readonly message: string;
        readonly path?: readonly (PropertyKey | {
            readonly key: PropertyKey;
        })[] | undefined;
    }[];
};
/** Whether a value is a schema of some library. */
declare function isStandard(value: unknown): value is StandardSchema;
/** Parameters or attributes: fields by their names, or the schema of an object. */
type Parameters = Shape | StandardSchema;
type OutputOf<T> = T extends {
    readonly "~standard": {
        readonly types?: infer Y;
    };
} ? (NonNullable<Y> extends {
    output: infer O;
} ? O : unknown) : never;
type InputOf<T> = T extends {
    readonly "~standard": {
        readonly types?: infer Y;
    };
} ? (NonNullable<Y> extends {
    input: infer I;
} ? I : unknown) : never;
/** The object that a handler gets. */
type ParametersOf<P> = P extends StandardSchema ? OutputOf<P> : Infer<P>;
/** The object that a handler returns. */
type ResultOf<P> = P extends StandardSchema ? InputOf<P> : Returned<P>;
/** The value that a function returns. */
type ValueOf<F> = F extends StandardSchema ? InputOf<F> : F extends Field<infer T, infer _O> ? (T extends ReadonlySet<infer E> ? Iterable<E> : T) | null : unknown;
/** Declared attributes, and what the author's schema makes of them once they are read. */
interface Body {
    readonly attributes: Declarations;
    /** Of a schema: checks and transforms. */
    readonly schema?: StandardSchema;
}
/** The attributes of fields or of the schema of an object. */
declare function bodyOf(parameters: Parameters | undefined, place: string, direction: Direction): Body;
/** The declaration that a field or a schema makes. */
declare function declarationOf(given: unknown, place: string, direction: Direction): Declaration;
/**
 * What the author's schema makes of attributes that were read.
 *
 * @throws {Unfit} The schema refuses them.
 */
declare function validated(body: Body, given: Record<string, unknown>): Awaitable<Record<string, unknown>>;

// define/parts
/** A resource as it was last seen. */
interface Existing<Props, Value> {
    id: string;
    /** Absent if it was imported and has not been read since. */
    props?: Props;
    /** Absent if it was created only in part. */
    state?: Value;
}
/** A planned change. */
type Plan<Props, Value> = {
    kind: "create";
    props: MaybeUnknownProps<Props>;
} | {
    kind: "update";
    existing: Existing<Props, Value>;
    props: MaybeUnknownProps<Props>;
} | {
    kind: "delete";
    existing: Existing<Props, Value>;
};
/** What a plugin makes of a planned change: nothing, a replacement, or other props. */
type Decision<Returned> = void | undefined | null | {
    replace: true;
} | {
    props: Returned;
};
/** The functions of a resource. */
interface ResourceHandlers<State, Props, Value, ReturnedProps, ReturnedState> {
    /** Creates it. */
    create(props: Props, context: Context<State>): Awaitable<{
        id: string;
        state?: ReturnedState;
    }>;
    /** Returns how it is now; nothing if it is gone. Right after an import there are no props, only the id. */
    read(id: string, props: Props | undefined, context: Context<State>): Awaitable<{
        props: ReturnedProps;
        state?: ReturnedState;
    } | null | undefined | void>;
    /** Updates it. Its id stays the same. Without it, every change replaces the resource. */
    update?(existing: Existing<Props, Value>, props: Props, context: Context<State>): Awaitable<{
        state?: ReturnedState;
    } | void>;
    /** Deletes it. If it is gone already, that is a success. */
    delete(existing: Existing<Props, Value>, context: Context<State>): Awaitable<void>;
    /** Decides about a planned change, without changing anything. */
    modifyPlan?(plan: Plan<Props, Value>, context: Context<State>): Awaitable<Decision<ReturnedProps>>;
    /** The id that an import stands for; the same id unless it is implemented. */
    import?(id: string, context: Context<State>): Awaitable<string>;
    /** Makes the current props and state out of what an older version of the schema stored. */
    upgrade?(version: number, stored: Record<string, unknown>): Awaitable<{
        id: string;
        props: ReturnedProps;
        state?: ReturnedState;
    }>;
}
/** What an ephemeral resource returns when it is opened. */
interface Opened<Result> {
    result: Result;
    /** When it has to be renewed. */
    renewAt?: Date | undefined;
    /** What `renew` and `close` need: anything that JSON can hold. */
    private?: unknown;
}
/** The functions of an ephemeral resource. */
interface EphemeralHandlers<State, Props, ReturnedResult> {
    open(props: Props, context: Context<State>): Awaitable<Opened<ReturnedResult>>;
    renew?(kept: unknown, context: Context<State>): Awaitable<{
        renewAt?: Date | undefined;
        private?: unknown;
    } | void>;
    close?(kept: unknown, context: Context<State>): Awaitable<void>;
}
type Any = any;
/** A function that a plugin offers. */
interface FunctionPart {
    readonly summary?: string | undefined;
    readonly description: string;
    readonly deprecated?: string;
    readonly body: Body;
    readonly variadic?: {
        readonly name: string;
        readonly element: Declaration;
    };
    readonly returns: Declaration;
    readonly run: (given: Any, context: Context<Any>) => Awaitable<unknown>;
}
/** An action that a plugin offers. */
interface ActionPart {
    readonly description: string;
    readonly body: Body;
    readonly outputs: Declarations;
    readonly isIdempotent: boolean;
    readonly run: (given: Any, context: Context<Any>) => Awaitable<unknown>;
}
/** A resource that a plugin offers. */
interface ResourcePart {
    readonly description: string;
    readonly deprecated?: string;
    readonly version: number;
    readonly body: Body;
    readonly state: Declarations;
    readonly handlers: ResourceHandlers<Any, Any, Any, Any, Any>;
}
/** A data source that a plugin offers. */
interface DataPart {
    readonly description: string;
    readonly deprecated?: string;
    readonly body: Body;
    readonly result: Declarations;
    readonly read: (given: Any, context: Context<Any>) => Awaitable<unknown>;
}
/** An ephemeral resource that a plugin offers. */
interface EphemeralPart {
    readonly description: string;
    readonly deprecated?: string;
    readonly body: Body;
    readonly result: Declarations;
    readonly handlers: EphemeralHandlers<Any, Any, Any>;
}
/** A hook of a plugin, or a method of its storage: params as they are on the wire. */
type RawHandler = (params: Any, context: Context<Any>) => Awaitable<unknown>;
/** Everything that a plugin consists of. */
interface Parts {
    config: Body;
    configure: ((config: Any) => Awaitable<unknown>) | undefined;
    shutdown: ((state: Any) => Awaitable<void>) | undefined;
    maxInFlight: number | undefined;
    readonly functions: Map<string, FunctionPart>;
    readonly actions: Map<string, ActionPart>;
    readonly resources: Map<string, ResourcePart>;
    readonly dataSources: Map<string, DataPart>;
    readonly ephemerals: Map<string, EphemeralPart>;
    /** By the name after `middleware/`. */
    readonly hooks: Map<string, RawHandler>;
    /** By the name after `storage/`. */
    readonly storage: Map<string, RawHandler>;
}

// define/storage
/**
 * Keeps the states of Terraform. A path is relative and has no empty, `.` or `..` segments. What a storage leaves out, its host
 * does itself or reports as unsupported.
 */
interface Storage {
    /** The state at a path; nothing if there is none. */
    read(path: string): Awaitable<Uint8Array | string | null | undefined>;
    /** Replaces the state, whole and on disk when it returns. With the id of a lock that is not held: `Failure.locked(held)`. */
    write(path: string, state: Uint8Array, lockId: string | undefined): Awaitable<void>;
    /** Locks the state and returns the id of the lock, `wanted.id` unless the storage has its own. Held by another: `Failure.locked(held)`. */
    lock?(path: string, wanted: Lock): Awaitable<string | void>;
    /** Releases the lock; without an id, any lock. */
    unlock?(path: string, lockId: string | undefined): Awaitable<void>;
    /** The paths that begin with a prefix. */
    list?(prefix: string): Awaitable<string[]>;
    /** Deletes the state. If there is none, that is a success. */
    delete?(path: string, lockId: string | undefined): Awaitable<void>;
}
/** The methods of a storage, as the wire has them. */
declare const STORAGE_METHODS: readonly ["read", "write", "lock", "unlock", "list", "delete"];
type StorageMethod = (typeof STORAGE_METHODS)[number];
/** Adds a storage to a plugin. */
declare function addStorage(parts: Parts, storage: Storage): void;
/** Why a path cannot be the name of a state. */
declare function pathProblem(path: unknown): string | undefined;

// define/offer
/** An attribute in a schema. */
interface OfferedAttribute {
    type: string;
    required?: true;
    optional?: true;
    computed?: true;
    default?: unknown;
    sensitive?: true;
    write_only?: true;
    replace?: true;
    stable?: true;
    description?: string;
    deprecation?: string;
}
/** A block in a schema. */
interface OfferedBlock {
    nesting: string;
    min?: number;
    max?: number;
    attributes: Record<string, OfferedAttribute>;
    blocks?: Record<string, OfferedBlock>;
    description?: string;
    deprecation?: string;
}
/** The schema of a resource, a data source, an ephemeral resource or the configuration. */
interface OfferedSchema {
    version?: number;
    description?: string;
    deprecation?: string;
    attributes: Record<string, OfferedAttribute>;
    blocks?: Record<string, OfferedBlock>;
}
/** A parameter of a function in a schema. */
interface OfferedParameter {
    name: string;
    type: string;
    description?: string;
    optional?: true;
    default?: unknown;
    allow_null?: true;
    allow_unknown?: true;
}
/** A function in a schema. */
interface OfferedFunction {
    summary?: string;
    description?: string;
    deprecation?: string;
    parameters: OfferedParameter[];
    variadic?: OfferedParameter;
    returns: string;
    /** The result contains a secret: tools do not show it. */
    sensitive?: true;
}
/** What a plugin offers, in the words of Seasonings and Orchard. */
interface Offer {
    name: string;
    version: string;
    max_in_flight?: number;
    config: OfferedSchema;
    actions: Record<string, {
        description?: string;
        idempotent?: true;
        attributes: Record<string, OfferedAttribute>;
        outputs: string;
        sensitive?: string[];
    }>;
    functions: Record<string, OfferedFunction>;
    resources: Record<string, OfferedSchema>;
    data_sources: Record<string, OfferedSchema>;
    ephemeral: Record<string, OfferedSchema>;
    hooks: string[];
    storage: string[];
}
/** What a plugin offers. @throws {TypeError} Something in it is not possible. */
declare function offerOf({ name, version, parts }: AnyPlugin): Offer;
/** Every resource has an id, which its creation returns. */
declare const ID: Declaration;
/** The default as a host gets it, in JSON. One that does not fit its type is found when the plugin starts. */
declare function defaultOf(place: string, one: Declaration | undefined): {
    default?: unknown;
};

// define/plugin_options
/** Who a plugin is. */
interface PluginInfo {
    name: string;
    version: string;
    /** What the RFC's examples say; everything that is defined is offered in any case. */
    capabilities?: readonly string[];
}
/** What can be said about a function. */
interface FunctionOptions<P, R, V> {
    /** One line, for lists of functions. */
    summary?: string;
    description?: string;
    deprecated?: string;
    parameters?: P;
    /** One more parameter, which takes any number of arguments: `{ numbers: number() }`. */
    variadic?: V;
    returns?: R;
}
/** What can be said about an action. */
interface ActionOptions<P, O> {
    description?: string;
    parameters?: P;
    outputs?: O;
    /** Running it again with the same parameters changes nothing more. */
    idempotent?: boolean;
}
/** What can be said about a resource. */
interface ResourceOptions<P, V> {
    description?: string;
    deprecated?: string;
    /** The version of the schema: 0 unless it is said otherwise. */
    version?: number;
    /** What the user configures. */
    props: P;
    /** What else is known once it exists. */
    state?: V;
}
/** What can be said about a data source or an ephemeral resource. */
interface DataOptions<P, R> {
    description?: string;
    deprecated?: string;
    props?: P;
    result: R;
}
type Nothing = Record<never, never>;
type NoShape = Readonly<Record<never, never>>;
type VariadicOf<V> = {
    [K in keyof V]: V[K] extends {
        readonly infer: infer T;
    } ? T[] : never;
};

// define/plugin
/**
 * A plugin: defined once, it serves every host. `State` is what `configure` returns, and what handlers that are
 * added after it have as `context.state`.
 */
declare class Plugin<State = undefined> {
    #private;
    readonly name: string;
    readonly version: string;
    /** @internal */
    readonly parts: Parts;
    constructor(info: PluginInfo);
    /** Declares the configuration, and makes of it what the handlers share. Call it first. */
    configure<P extends Parameters, S>(parameters: P, start: (config: ParametersOf<P>) => Awaitable<S>): Plugin<S>;
    /** Called once at the end, with what `configure` returned. */
    shutdown(stop: (state: State) => Awaitable<void>): this;
    /** How many calls a host may make at a time: 1 unless it is said otherwise. */
    maxInFlight(count: number): this;
    /** A function without effects: equal arguments give equal results. */
    function<P extends Parameters = NoShape, R extends AnyField | StandardSchema = AnyField, V extends Shape = NoShape>(name: string, options: FunctionOptions<P, R, V>, run: (given: ParametersOf<P> & VariadicOf<V>, context: Context<State>) => Awaitable<ValueOf<R>>): this;
    /** Something that is done: by a step of a scenario, by an action of Terraform, by an agent. */
    action<P extends Parameters = NoShape, O extends Parameters = NoShape>(name: string, options: ActionOptions<P, O>, run: (given: ParametersOf<P>, context: Context<State>) => Awaitable<O extends NoShape & {
        [K in keyof O]: never;
    } ? Nothing | void : ResultOf<O>>): this;
    /** Something that is created, read, updated and deleted. */
    resource<P extends Parameters, V extends Parameters = NoShape>(name: string, options: ResourceOptions<P, V> & ResourceHandlers<State, ParametersOf<P>, ParametersOf<V>, ResultOf<P>, ResultOf<V>>): this;
    /** Something that is read. */
    dataSource<R extends Parameters, P extends Parameters = NoShape>(name: string, options: DataOptions<P, R>, read: (props: ParametersOf<P>, context: Context<State>) => Awaitable<ResultOf<R>>): this;
    /** Something that is opened for one run of Terraform and never stored, such as a token. */
    ephemeral<R extends Parameters, P extends Parameters = NoShape>(name: string, options: DataOptions<P, R> & EphemeralHandlers<State, ParametersOf<P>, ResultOf<R>>): this;
    /** A hook that is called for each resource. */
    resourceHook(hook: ResourceHook, run: ChangeHandler<State>): this;
    /** A hook that is called once for a part of a command. */
    stageHook(hook: StageHook, run: StageHandler<State>): this;
    prePlan(run: ChangeHandler<State>): this;
    postPlan(run: ChangeHandler<State>): this;
    preApply(run: ChangeHandler<State>): this;
    postApply(run: ChangeHandler<State>): this;
    preRefresh(run: ChangeHandler<State>): this;
    postRefresh(run: ChangeHandler<State>): this;
    initStageStart(run: StageHandler<State>): this;
    initStageCompleted(run: StageHandler<State>): this;
    initStageFailed(run: StageHandler<State>): this;
    planStageStart(run: StageHandler<State>): this;
    planStageCompleted(run: StageHandler<State>): this;
    planStageFailed(run: StageHandler<State>): this;
    applyStageStart(run: StageHandler<State>): this;
    applyStageCompleted(run: StageHandler<State>): this;
    applyStageFailed(run: StageHandler<State>): this;
    /** Keeps the states of Terraform. */
    storage(storage: Storage): this;
    /** The state at a path: `{ state }`, which is bytes, a text or null. */
    storageRead(run: (given: {
        path: string;
    }, context: Context<State>) => Awaitable<{
        state: Uint8Array | string | null | undefined;
    }>): this;
    /** Replaces the state at a path. */
    storageWrite(run: (given: {
        path: string;
        state: Uint8Array;
        lockId?: string;
    }, context: Context<State>) => Awaitable<{
        success: boolean;
    }>): this;
    /** Locks the state at a path. If it is locked: throw `Failure.locked(held)`. */
    storageLock(run: (given: {
        path: string;
        operation?: string;
        info: string;
    }, context: Context<State>) => Awaitable<{
        lockId: string;
    }>): this;
    /** Releases a lock. */
    storageUnlock(run: (given: {
        path: string;
        lockId?: string;
        force?: boolean;
    }, context: Context<State>) => Awaitable<{
        success: boolean;
    } | void>): this;
    /** The paths of all states that begin with a prefix. */
    storageList(run: (given: {
        prefix?: string;
    }, context: Context<State>) => Awaitable<{
        paths: string[];
    }>): this;
    /** Deletes the state at a path. */
    storageDelete(run: (given: {
        path: string;
        lockId?: string;
    }, context: Context<State>) => Awaitable<{
        success: boolean;
    } | void>): this;
    /**
     * What the plugin offers, as data.
     *
     * @throws {TypeError} Something in it is not possible.
     */
    offer(): Offer;
    /**
     * The whole program: serves the host on stdin and stdout, whichever it is, until it ends the conversation or goes away, and
     * then exits. With the argument `schema` it prints the schema for scenarios.
     */
    serve(): Promise<void>;
}
type AnyPlugin = Plugin<any>;

// define/rfc
/** A plugin of hooks, as the RFC of Seasonings calls it. */
declare class MiddlewareServer extends Plugin {
}
/** A plugin of any kind, as the RFC of Seasonings calls it. */
declare class PluginServer extends Plugin {
}
/** Connects a plugin to its host on stdin and stdout, as the RFC of Seasonings writes it. */
declare class StdioTransport {
    /** Serves the plugin until its host is gone. */
    connect(plugin: AnyPlugin): Promise<void>;
}

// values/read
/** Something that was received: JSON, or what msgpack has in its place. */
type Wire = unknown;
/** How values are read. */
interface Reading {
    /** Values of the type `any` come with their type, as msgpack has them. */
    readonly hasTypes: boolean;
    /** Parts may be unknown. */
    readonly allowUnknown: boolean;
    /** Attributes that are not declared are left out instead of refused. */
    readonly ignoreExtra?: boolean;
    /** What is missing stays absent, without an error and without a default. */
    readonly isPartial?: boolean;
}
declare const JSON_READING: Reading;
declare const CTY_READING: Reading;
declare const PLAN_READING: Reading;
/** The text that bytes are; `undefined` if they are not UTF-8. */
declare function plainText(bytes: Uint8Array): string | undefined;
/** The type that a value of the type `any` comes with. Most values have one of a few. */
declare function typeFromBytes(bytes: Uint8Array): Type | undefined;
/** Whether a value is an object with members: not a list, not a number, not an unknown value. */
declare function isRecord(value: unknown): value is Record<string, unknown>;
/**
 * Reads an object of attributes: checks it, fills in defaults, wraps secrets.
 *
 * @throws {Unfit} It does not fit; all problems are in it.
 */
declare function readObject(given: Wire, attributes: Declarations, reading: Reading): Record<string, unknown>;
/**
 * Reads one value.
 *
 * @throws {Unfit} It does not fit.
 */
declare function readValue(given: Wire, one: Declaration, reading: Reading, path?: Path): unknown;

// define/session
type StageName = "waiting" | "deferred" | "ready" | "ended";
/** Why a plugin cannot be configured. */
declare class Unconfigured extends Error {
    readonly reason: "ended" | "twice";
    constructor(reason: "ended" | "twice");
}
/** A running plugin: whether it is configured, and what `configure` made. */
declare class Session {
    #private;
    readonly plugin: AnyPlugin;
    readonly parts: Parts;
    /** The configuration as the host has sent it. */
    givenConfig: Wire;
    constructor(plugin: AnyPlugin);
    get stage(): StageName;
    /**
     * Configures the plugin. If there is nothing to configure, this may be repeated or left out.
     *
     * @throws {Unfit} The configuration does not fit.
     * @throws {Unconfigured} It is too late for that.
     */
    configure(given: Wire, reading: Reading): Promise<void>;
    /** Parts of the configuration are not known yet. */
    defer(): void;
    /**
     * What `configure` made. If the host has not configured the plugin, that is done with the defaults.
     *
     * @throws {Failure} The plugin needs a configuration that it does not have.
     */
    state(): Promise<unknown>;
    /**
     * What `configure` made.
     *
     * @throws {Failure} It was not called, or too late.
     */
    get current(): unknown;
    /** The state for a function, most of which do without: what is wrong is thrown where it asks for the state. */
    stateOnDemand(): () => unknown;
    /** The same in a host that never configures plugins: the defaults are the configuration. */
    defaultStateOnDemand(): Awaitable<() => unknown>;
    /** Ends the plugin: its `shutdown` is called once. */
    shutDown(): Promise<void>;
    /** Ends the plugin after the host is gone, whatever its `shutdown` does. */
    abandon(): Promise<void>;
    /** There is nothing of this kind and name. */
    missing(kind: string, name: string, all: Iterable<string>): string;
    /** What the plugin offers, in one line: `the actions add, fail and the function count`. */
    summary(): string;
}

// hosts/host
/** Where a host's answers go. */
interface Output {
    write(frame: Uint8Array | string): void;
    /** Nothing more should be read for now, because too many calls are not answered yet; or it may go on. */
    hold?(isHeld: boolean): void;
}
/** One conversation with the program that calls the plugin. */
interface Conversation {
    /** Bytes of the host. @throws {Error} They are not messages; the conversation ends. */
    receive(chunk: Uint8Array): void;
    /** The host has closed its side. Resolves when everything is answered. */
    finish(): Promise<void>;
}
/** How a conversation ends that the host says goodbye to. */
type Goodbye = () => void;

// hosts/detect
/** The program that calls a plugin. */
type HostName = "orchard" | "denobridge" | "seasonings" | "mcp" | "service" | "service-headers";
/** Which host is calling, by its first bytes; `undefined` if more are needed. */
declare function detectHost(bytes: Uint8Array, session: Session, isEnd?: boolean): HostName | undefined;
/** A conversation with a host. */
declare function converse(host: HostName, session: Session, output: Output, goodbye: Goodbye): Conversation;
/** A conversation with whoever is calling, once the first message says who that is. */
declare class AnyConversation implements Conversation {
    #private;
    constructor(session: Session, output: Output, goodbye: Goodbye);
    receive(chunk: Uint8Array): void;
    finish(): Promise<void>;
}

// hosts/calls
/** A call in progress. */
declare class RunningCall {
    #private;
    readonly id: unknown;
    readonly isMutating: boolean;
    /** The host does not wait for it any more. */
    isCancelled: boolean;
    /** What the author warned about, until it is shown. */
    readonly warnings: Diagnostic[];
    /** @internal Answers the host when the call is cancelled. */
    readonly onCancel: () => void;
    constructor(id: unknown, isMutating: boolean, onCancel: () => void);
    /** Made when it is asked for: most calls are never cancelled, and a signal costs more than a small call. */
    get signal(): AbortSignal;
    cancel(): void;
}
/** The calls in progress: they can be cancelled, and are waited for at the end. */
declare class RunningCalls {
    #private;
    constructor(output: Output);
    /** Notes a call. One that changes something is not cancelled: its outcome counts. */
    begin(id: unknown, isMutating: boolean, onCancel?: () => void): RunningCall;
    /** Notes the end of a call. */
    end(call: RunningCall): void;
    /** The host does not wait for a call any more, and neither does the end of the conversation. */
    cancel(id: unknown): void;
    /** The host is gone: what runs has a few seconds, and is not waited for after them. */
    finished(): Promise<void>;
}

// ipc/socket_place
/** User ids, or everybody. */
type AllowedUsers = readonly number[] | "any";
/**
 * Refuses a socket that somebody else has made, or could replace.
 *
 * @throws {ConnectionError} It is such a socket. The text says what to do.
 */
declare function checkPlace(address: string, allowUsers: AllowedUsers): void;

// ipc/options
/** How messages are delimited: one on a line, or each behind a `Content-Length` header. */
type Framing = "lines" | "headers";
/** Who sends what is read, for the texts of errors: a plugin has no options that its host could be told about. */
type Sender = "server" | "client" | "host";
/** What a client is made with. All times are in milliseconds. */
interface ClientOptions {
    /** The name of the socket, see `socketAddress`, or its path. */
    socketPath: string;
    /**
     * The users whose servers are trusted beside our own and root's, by the owners of the socket and
     * of its folder; `"any"` for all.
     */
    allowUsers?: AllowedUsers | undefined;
    /** How long connecting may take. 10,000 if not given. */
    connectionTimeout?: number | undefined;
    /** How long an answer may take; `Infinity` for no limit. 30,000 if not given. */
    requestTimeout?: number | undefined;
    /** Another name of `requestTimeout`. */
    timeout?: number | undefined;
    /** Tells what happens, to stderr or to a function of yours; what params hold is not told. */
    debug?: boolean | ((line: string) => void) | undefined;
    /** Whether a lost connection is made again. */
    autoReconnect?: boolean | undefined;
    /** How often that is tried without a message from the server. `Infinity` if not given. */
    maxReconnectAttempts?: number | undefined;
    /** The pause before the first attempt; it doubles from one to the next. 100 if not given. */
    reconnectDelay?: number | undefined;
    /** The longest pause. 30,000 if not given. */
    maxReconnectDelay?: number | undefined;
    /** How messages are delimited. `"lines"` if not given. */
    framing?: Framing | undefined;
    /** The longest message, in both directions. 16 MiB if not given. */
    maxMessageBytes?: number | undefined;
    /** How much may wait to be sent while the server does not read. 64 MiB if not given. */
    maxQueuedBytes?: number | undefined;
}
/** The options of a client, complete and checked. */
interface Settings {
    readonly socketPath: string;
    readonly allowUsers: AllowedUsers;
    readonly connectionTimeout: number;
    readonly requestTimeout: number;
    readonly debug: (line: string) => void;
    readonly autoReconnect: boolean;
    readonly maxReconnectAttempts: number;
    readonly reconnectDelay: number;
    readonly maxReconnectDelay: number;
    readonly framing: Framing;
    readonly maxMessageBytes: number;
    readonly maxQueuedBytes: number;
}
/**
 * Checks options and fills in what was left out.
 *
 * @throws {TypeError} One of them makes no sense.
 */
declare function settings(options: ClientOptions): Settings;
/**
 * A time limit that is one.
 *
 * @throws {TypeError} It is no positive number, or more than a timer knows.
 */
declare function milliseconds(name: string, value: number): number;

// hosts/json_rpc
declare const PARSE_ERROR = -32700;
declare const INVALID_REQUEST = -32600;
declare const METHOD_NOT_FOUND = -32601;
declare const INVALID_PARAMS = -32602;
declare const INTERNAL_ERROR = -32603;
declare const FAILED = -32000;
declare const CANCELLED = -32800;
/** An error that a host gets as the answer to its call. */
declare class Fault extends Error {
    readonly code: number;
    readonly data: unknown;
    constructor(code: number, message: string, data?: unknown);
}
/** A request that is being answered. */
interface Request {
    readonly method: string;
    readonly params: unknown;
    readonly call: RunningCall;
    notify(method: string, params: unknown): void;
}
/** What is spoken on top of JSON-RPC. */
interface JsonRpcMethods {
    /** @throws {Fault} The answer is an error. */
    request(request: Request): unknown;
    event(method: string, params: unknown, calls: RunningCalls): void;
    isMutating(method: string, params: unknown): boolean;
    /** The texts of an error without the secrets in the params. */
    hide?<T>(value: T, method: string, params: unknown): T;
    /** Whether a cancelled call is left without an answer. */
    readonly isSilent?: boolean;
}
/** JSON-RPC 2.0 in lines or behind headers. */
declare class JsonRpcConversation implements Conversation {
    #private;
    readonly calls: RunningCalls;
    constructor(methods: JsonRpcMethods, output: Output, framing?: Framing);
    receive(chunk: Uint8Array): void;
    finish(): Promise<void>;
}

// hosts/scripts
/** The version of denobridge's own library that the scripts here are written for. */
declare const DENOBRIDGE_VERSION = "0.4.1";
/** Problems and warnings in the shape of denobridge: a path begins with `props` or another member of the params. */
interface Diagnostics {
    diagnostics: {
        severity: "error" | "warning";
        summary: string;
        detail: string;
        propPath?: string[] | undefined;
    }[];
}
type ScriptValue = any;
/** The functions of a script for a resource. `sensitive` in a state is kept apart and not shown; `writeOnly` in props is never stored. */
interface ResourceProviderMethods<Props, State = undefined, ID = string> {
    create(props: Props): Awaitable<Diagnostics | {
        id: ID;
        state?: State;
    }>;
    read(id: ID, props: Props): Awaitable<Diagnostics | {
        props: Props;
        state?: State;
        exists?: true;
    } | {
        exists: false;
    }>;
    update(id: ID, nextProps: Props, currentProps: Props, currentState: State): Awaitable<Diagnostics | State | void>;
    delete(id: ID, props: Props, state: State): Awaitable<Diagnostics | void>;
    modifyPlan?(id: ID | null, planType: "create" | "update" | "delete", nextProps: Props | null, currentProps: Props | null, currentState: State | null): Awaitable<Diagnostics | {
        noChanges: true;
    } | {
        modifiedProps?: Partial<Props>;
        requiresReplacement?: boolean;
        diagnostics?: Diagnostics["diagnostics"];
    } | void>;
}
/** The function of a script for a data source. */
interface DatasourceProviderMethods<Props, Result> {
    read(props: Props): Awaitable<Diagnostics | Result>;
}
/** The functions of a script for an ephemeral resource. */
interface EphemeralResourceProviderMethods<Props, Result, PrivateData = undefined> {
    open(props: Props): Awaitable<Diagnostics | {
        result: Result; /** In seconds since 1970. */
        renewAt?: number;
        privateData?: PrivateData;
    }>;
    renew?(privateData: PrivateData): Awaitable<Diagnostics | {
        renewAt?: number;
        privateData?: PrivateData;
    }>;
    close?(privateData: PrivateData): Awaitable<Diagnostics | void>;
}
/** The function of a script for an action. */
interface ActionProviderMethods<Props> {
    invoke(props: Props, progress: (message: string) => Promise<void>): Awaitable<Diagnostics | void>;
}
type Params = Record<string, Wire>;
type Methods = Record<string, (params: Params, request: Request) => Promise<unknown>>;
/** A script of denobridge, which serves its host as soon as it is made. */
declare class Script implements JsonRpcMethods {
    #private;
    constructor(methods: Methods);
    /** @internal */
    isMutating(method: string): boolean;
    /** @internal */
    event(method: string, params: unknown, calls: RunningCalls): void;
    /** @internal */
    request(request: Request): Promise<unknown>;
}
/** Whether an answer consists of problems: it has no result beside them. */
declare function refusal(answer: unknown): Diagnostics | undefined;
/** A resource of denobridge. */
declare class ResourceProvider<Props, State = undefined, ID = string> extends Script {
    constructor(methods: ResourceProviderMethods<Props, State, ID>);
}
/** A data source of denobridge. */
declare class DatasourceProvider<Props, Result> extends Script {
    constructor(methods: DatasourceProviderMethods<Props, Result>);
}
/** An ephemeral resource of denobridge. */
declare class EphemeralResourceProvider<Props, Result, PrivateData = undefined> extends Script {
    constructor(methods: EphemeralResourceProviderMethods<Props, Result, PrivateData>);
}
/** An action of denobridge. */
declare class ActionProvider<Props> extends Script {
    constructor(methods: ActionProviderMethods<Props>);
}

// hosts/zod_scripts
type Out<S> = S extends {
    readonly "~standard": {
        readonly types?: infer T;
    };
} ? (NonNullable<T> extends {
    output: infer O;
} ? O : unknown) : undefined;
/** A resource whose props and state are checked by schemas of zod or any other library. */
declare class ZodResourceProvider<P extends StandardSchema, S extends StandardSchema | undefined = undefined> extends ResourceProvider<Out<P>, Out<S>> {
    constructor(props: P, state: S, methods: ResourceProviderMethods<Out<P>, Out<S>>);
    constructor(props: P, methods: ResourceProviderMethods<Out<P>>);
}
/** A data source whose props and result are checked by schemas. */
declare class ZodDatasourceProvider<P extends StandardSchema, R extends StandardSchema> extends DatasourceProvider<Out<P>, Out<R>> {
    constructor(props: P, result: R, methods: DatasourceProviderMethods<Out<P>, Out<R>>);
}
/** An ephemeral resource whose props, result and private data are checked by schemas. */
declare class ZodEphemeralResourceProvider<P extends StandardSchema, R extends StandardSchema, D extends StandardSchema> extends EphemeralResourceProvider<Out<P>, Out<R>, Out<D>> {
    constructor(props: P, result: R, privateData: D, methods: EphemeralResourceProviderMethods<Out<P>, Out<R>, Out<D>>);
}
/** An action whose props are checked by a schema. */
declare class ZodActionProvider<P extends StandardSchema> extends ActionProvider<Out<P>> {
    constructor(props: P, methods: ActionProviderMethods<Out<P>>);
}

// hosts/memory_host
/** A conversation with a plugin in memory, byte by byte: what a host writes, and what it reads. */
declare function memoryHost(plugin: AnyPlugin, host: HostName): {
    send(bytes: Uint8Array | string): void;
    readonly received: (Uint8Array | string)[];
    end(): Promise<void>;
};

// hosts/testing_values
type Members = Record<string, unknown>;
declare function withoutDefaults(given: Members): Members;
declare function withDefaults(given: Members, attributes: Declarations): Members;
/** What the user wrote may leave out anything: the plugin says what is missing. */
declare function relaxed(attributes: Declarations): Declarations;
declare function wholeOf(part: ResourcePart, known: Members, isStored?: boolean): Members;
declare function computed(part: ResourcePart, prior: Members | null): Members;
declare function readState(part: ResourcePart, wire: Members, isPlan: boolean): Members;
declare function plainSecrets(values: Members): Members;
declare function plain(value: unknown): unknown;
/** A value that can be compared as JSON. */
declare function packable(value: unknown): unknown;

// hosts/testing
/** A resource in a test: its values, and what only the plugin sees. */
interface TestedResource {
    readonly type: string;
    /** All its attributes, with its id. */
    readonly state: Members;
    /** @internal */
    readonly wire: Members;
    /** @internal */
    readonly private: Uint8Array | undefined;
}
/** A planned change in a test. */
interface TestedPlan {
    readonly type: string;
    readonly action: "create" | "update" | "replace" | "none";
    /** The planned values; what is known after the apply is an `Unknown`. */
    readonly planned: Members;
    readonly warnings: readonly Diagnostic[];
    /** @internal */
    readonly wire: {
        prior: Members | null;
        config: Members;
        planned: Members;
        private: Uint8Array | undefined;
    };
}
/**
 * A host in memory, for tests. Every call goes through the encoders and decoders of a real host.
 *
 * ```ts
 * const host = new Host(plugin);
 * assert.equal(await host.callFunction("greet", { name: "Ida" }), "hello, Ida");
 * await host.close();
 * ```
 */
declare class Host {
    #private;
    /** What the plugin reported: progress and lines of its log. */
    readonly events: {
        method: string;
        params: Members;
    }[];
    /** The warnings of all calls so far. */
    readonly warnings: Diagnostic[];
    /** `config` is the configuration of the plugin, if it has one. */
    constructor(plugin: AnyPlugin, config?: Members);
    /** Calls a method of Seasonings as it is. @throws {Failure} The answer is an error; its `code` is the number of the protocol. */
    call(method: string, params?: Members): Promise<Members>;
    /** Calls a function with arguments by name. @throws {Failure} It failed; `path` is the argument that is at fault. */
    callFunction(name: string, given?: Members): Promise<unknown>;
    /** Runs an action, as a scenario does. @throws {Failure} It failed; `code` is Orchard's. */
    runAction(name: string, given?: Members): Promise<unknown>;
    /** Plans a resource: a new one, or a change of an existing one. */
    plan(type: string, given: Members, existing?: TestedResource): Promise<TestedPlan>;
    /** Plans and applies a resource. A replacement deletes the old one first. */
    apply(type: string, given: Members, existing?: TestedResource): Promise<TestedResource>;
    /** Reads a resource again; `undefined` if it is gone. */
    read(resource: TestedResource): Promise<TestedResource | undefined>;
    /** Imports a resource by its id, and reads it. */
    import(type: string, id: string): Promise<TestedResource | undefined>;
    /** Deletes a resource. */
    destroy(resource: TestedResource): Promise<void>;
    /** Upgrades what an older version of the schema stored. */
    upgrade(type: string, version: number, stored: Members): Promise<TestedResource>;
    /** Reads a data source. */
    readData(type: string, given?: Members): Promise<Members>;
    /** Opens an ephemeral resource; `renew` and `close` belong to what was opened. */
    open(type: string, given?: Members): Promise<{
        result: Members;
        renewAt?: Date;
        renew(): Promise<void>;
        close(): Promise<void>;
    }>;
    /** Calls a hook: `postPlan`, `planStageCompleted`. */
    hook(name: string, params?: Members): Promise<Members>;
    /** Calls a method of the storage: `read`, `write`, `lock`. */
    storage(name: string, params?: Members): Promise<Members>;
    /** Ends the plugin. */
    close(): Promise<void>;
}

// values/json
/** Deeper nesting than any host sends or reads, and less than the stack holds. */
declare const DEEPEST = 128;
/**
 * Reads JSON, with all digits of its numbers: one that a `number` cannot hold is a `bigint` or a `Big`.
 *
 * @throws {SyntaxError} It is not JSON, or is nested too deeply.
 */
declare function parseJson(text: string): unknown;
/** Writes JSON, with all digits of a `bigint` or a `Big`. Half a surrogate pair, which no host reads, is replaced. */
declare function stringifyJson(value: unknown): string;

// values/write
/** A value that an author returned does not fit what was declared, or cannot be written. */
declare class Unwritable extends Error {
    name: string;
    readonly path: Path;
    constructor(path: Path, problem: string);
}
/** A value of the type `any` with a type of its own: `new Typed(list(string()).declaration.type, ["a"])`. */
declare class Typed {
    readonly type: Type;
    readonly value: unknown;
    constructor(type: Type, value: unknown);
}
/** How values are written: for msgpack with types and unknown values, or as JSON. */
type Format = "msgpack" | "json";
/**
 * Writes a value as its declaration says.
 *
 * @throws {Unwritable} It does not fit.
 */
declare function writeDeclared(value: unknown, one: Declaration, format: Format, path?: Path): Wire;
/** Whether a value has its content in members: that of a `Map`, a `Date` or a `URLSearchParams` is elsewhere, and would be lost. */
declare function hasMembers(value: unknown): value is Record<string, unknown>;
/**
 * The members of what an author returned; nothing has none.
 *
 * @throws {Unwritable} It is not an object with members.
 */
declare function membersOf(value: unknown, path?: Path): Record<string, unknown>;
/** How a value becomes an object, for errors. */
declare function hintFor(value: unknown): string;
/**
 * Writes an object of attributes. One that is not declared is an error, as is a missing one that is not optional.
 *
 * @throws {Unwritable} It does not fit.
 */
declare function writeObject(given: unknown, attributes: Declarations, format: Format, path?: Path): Record<string, Wire>;
/** Writes a value by what it is: arrays as lists, objects as maps. @throws {Unwritable} It cannot be written. */
declare function writeImplied(given: unknown, format: Format, path: Path): Wire;
/** The type that a value implies: arrays are tuples, objects are objects. */
declare function impliedType(plain: Wire): Type;
/** A text that is the same for the same value. */
declare function canonical(value: unknown): string;
/** What a value is, in the words of JavaScript. */
declare function jsName(value: unknown): string;

// wire/pack
/** A value as msgpack. */
declare function pack(value: unknown): Uint8Array;

// wire/scanner
/** What is received is not msgpack, or too large. */
declare class UnpackError extends Error {
    name: string;
}
/** How much one message may be. */
interface UnpackLimits {
    /** Bytes of a message. */
    readonly size: number;
    /** How deeply lists and maps may be nested. */
    readonly depth: number;
}
declare const UNPACK_LIMITS: UnpackLimits;
/**
 * Finds the end of a message in bytes that come in pieces, and looks at each byte once. It allocates nothing for what a message
 * only announces, so that five bytes cannot ask for gigabytes.
 */
declare class Scanner {
    #private;
    constructor(limits?: UnpackLimits);
    /** Begins with the next message. */
    reset(): void;
    /** The length of the message at the start of these bytes, or -1 if more are needed. Call it again with all bytes so far. */
    scan(bytes: Uint8Array): number;
}

// wire/unpack
/**
 * Reads one value.
 *
 * @throws {UnpackError} The bytes are not one value.
 */
declare function unpack(bytes: Uint8Array): unknown;
/** A whole message with a value in it that cannot be read: the one after it can. */
declare class FlawedMessage {
    /** What it begins with, up to the kind, the id and the method: enough to answer it. */
    readonly start: readonly unknown[];
    readonly problem: string;
    constructor(start: readonly unknown[], problem: string);
}
/** Reads messages out of bytes that come in pieces. */
declare class MessageStream {
    #private;
    constructor(limits?: UnpackLimits);
    /** Whether a message has begun and is not complete. */
    get isInside(): boolean;
    /** The messages that are complete now. @throws {UnpackError} They are not msgpack; the stream cannot be read any further. */
    push(chunk: Uint8Array): Generator<unknown, void>;
}

// core


export {
  ActionProvider,
  ActionProviderMethods,
  AnyField,
  AnyPlugin,
  Big,
  BlockOptions,
  Bound,
  Change,
  ChangeAction,
  ChangeHandler,
  Context,
  DENOBRIDGE_VERSION,
  DatasourceProvider,
  DatasourceProviderMethods,
  Decision,
  Diagnostic,
  Diagnostics,
  EphemeralHandlers,
  EphemeralResourceProvider,
  EphemeralResourceProviderMethods,
  Exact,
  Existing,
  Failure,
  FailureOptions,
  Field,
  FieldOptions,
  Given,
  Host,
  Infer,
  Level,
  Lock,
  MaybeUnknown,
  MaybeUnknownProps,
  MiddlewareServer,
  Offer,
  Opened,
  Parameters,
  ParametersOf,
  Path,
  Plan,
  Plugin,
  PluginInfo,
  PluginServer,
  Refinement,
  ResourceHandlers,
  ResourceHook,
  ResourceProvider,
  ResourceProviderMethods,
  ResultOf,
  Returned,
  Secret,
  Shape,
  Stage,
  StageHandler,
  StageHook,
  StandardSchema,
  StdioTransport,
  Storage,
  TestedPlan,
  TestedResource,
  Typed,
  Unknown,
  Verdict,
  WarningOptions,
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
