/** What handlers get and return, by the fields that were declared. */

import type { Big } from "../values/big.ts";
import type { Secret, WriteOnly } from "../values/secret.ts";
import type { Unknown } from "../values/unknown.ts";
import type { Field } from "./field.ts";

type Is<O, K extends string> = O extends { readonly [P in K]?: infer V } ? ([V] extends [true] ? true : false) : false;

/** What a handler gets for a field. */
export type Given<F> = F extends Field<infer T, infer O> ?
    | (Is<O, "writeOnly"> extends true ? WriteOnly<T> : Is<O, "secret"> extends true ? Secret<T> : T)
    | (Is<O, "nullable"> extends true ? null : never)
    | (Is<O, "allowUnknown"> extends true ? Unknown : never)
  : never;

type HasDefault<O> = O extends { default: infer D } ? ([D] extends [undefined] ? false : true) : false;

/** Whether a field may be missing in what a handler gets. */
export type CanBeAbsent<F> = F extends Field<infer _T, infer O>
  ? Is<O, "writeOnly"> extends true ? true : HasDefault<O> extends true ? false : Is<O, "optional">
  : never;

type AbsentKeys<S> = { [K in keyof S]: CanBeAbsent<S[K]> extends true ? K : never }[keyof S];

type Simplify<T> = { [K in keyof T]: T[K] } & {};

/** The object that a handler gets for a shape. */
export type Infer<S> = Simplify<
  { [K in Exclude<keyof S, AbsentKeys<S>>]: Given<S[K]> } & { [K in AbsentKeys<S>]?: Given<S[K]> | undefined }
>;

type Loose<T> = T extends ReadonlySet<infer E> ? Iterable<E> : T;

type MayBeMissing<F> = F extends Field<infer _T, infer O>
  ? true extends Is<O, "secret"> | Is<O, "writeOnly"> | Is<O, "optional"> | Is<O, "nullable"> | HasDefault<O> ? true
  : false
  : never;

type MissingKeys<S> = { [K in keyof S]: MayBeMissing<S[K]> extends true ? K : never }[keyof S];

type Written<F> = F extends Field<infer T, infer O>
  ? Loose<T> | (true extends Is<O, "secret"> | Is<O, "writeOnly"> ? Secret<T> : never)
  : never;

/** The object that a handler returns for a shape. Secrets may be wrapped or plain. */
export type Returned<S> = Simplify<
  & { [K in Exclude<keyof S, MissingKeys<S>>]: Written<S[K]> }
  & { [K in MissingKeys<S>]?: Written<S[K]> | null | undefined }
>;

/** A value that may be unknown, as may everything in it. */
export type MaybeUnknown<T> =
  | Unknown
  | (T extends Secret<unknown> | Big | Date | ReadonlySet<unknown> ? T
    : T extends readonly (infer E)[] ? MaybeUnknown<E>[]
    : T extends object ? { [K in keyof T]: MaybeUnknown<T[K]> }
    : T);

/** Planned props: each may be unknown. */
export type MaybeUnknownProps<P> = { [K in keyof P]: MaybeUnknown<P[K]> };
