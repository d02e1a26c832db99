import fc from 'fast-check'
import { CANARY } from './secrets.js'

const RAW = '\u0001raw:'

/** A piece of JSON as it is to be written, such as a number that JavaScript has not. */
function raw(text: string): string {
  return RAW + text
}

/** The text of a value, with its raw pieces written out. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value).replaceAll(/"\\u0001raw:([^"]*)"/g, '$1')
}

/** An array in an array, and so on. Written out, since `JSON.stringify` does not get far down. */
export function nestedText(depth: number): string {
  return raw('['.repeat(depth) + ']'.repeat(depth))
}

/** An object with members of any name, `__proto__` included. */
function object(...members: [name: string, value: unknown][]): object {
  return Object.fromEntries(members)
}

/** What nobody expects in a field. */
export const oddValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, 0, -1, 1.5, 7, 2 ** 53, '', 'x', [], {}, [null], [[]]),
  fc.constantFrom(
    raw('1e400'),
    raw('-0'),
    raw('-1e-400'),
    '\u0000',
    '\ud800',
    'a\udc00b',
    '\u202e\u2028',
    '__proto__',
    'constructor',
    'toString',
    '../../etc/passwd',
    '2026-07-28',
    '1900-01-01',
    'x'.repeat(2_000),
    CANARY.argument,
  ),
  fc.constantFrom<unknown>(
    object(['__proto__', { polluted: true }]),
    object(['constructor', { prototype: { polluted: true } }]),
    object(['__proto__', null], ['x', CANARY.argument]),
    object(['toJSON', 1], ['then', 1], ['valueOf', null], ['length', -1]),
    nestedText(40),
    nestedText(3_000),
    Array.from({ length: 500 }, (_, index) => index),
  ),
)

export interface Mutation {
  readonly kind: 'replace' | 'remove' | 'add'
  /** Which of the places in the value, counted through. */
  readonly at: number
  readonly key: string
  readonly value: unknown
}

export const mutation: fc.Arbitrary<Mutation> = fc.record({
  kind: fc.constantFrom('replace', 'remove', 'add'),
  at: fc.nat(60),
  key: fc.constantFrom(
    'x',
    '',
    '__proto__',
    'constructor',
    'prototype',
    'hasOwnProperty',
    '_meta',
    'cursor',
    'name',
    'task',
    'id',
    'result',
    'error',
    'method',
    'progressToken',
    'inputResponses',
    'requestState',
  ),
  value: oddValue,
})

type Container = Record<string, unknown>

/** A copy of the value with one thing in it changed. */
export function mutated(value: unknown, { kind, at, key, value: odd }: Mutation): unknown {
  const copy = structuredClone(value)
  const places = placesIn(copy)
  const place = places[at % Math.max(1, places.length)]
  if (place === undefined) return odd
  const [container, name] = place
  if (kind === 'replace') set(container, name, odd)
  else if (kind === 'remove') delete container[name]
  else {
    const target = container[name]
    set(typeof target === 'object' && target !== null ? (target as Container) : container, key, odd)
  }
  return copy
}

/** Every member of every container in it, outer ones first. */
function placesIn(value: unknown): [Container, string][] {
  const places: [Container, string][] = []
  const queue = [value]
  for (let next = queue.shift(); next !== undefined && places.length < 200; next = queue.shift()) {
    if (typeof next !== 'object' || next === null) continue
    for (const name of Object.keys(next)) {
      places.push([next as Container, name])
      queue.push((next as Container)[name])
    }
  }
  return places
}

/** `__proto__` is to be a member like any other. */
function set(container: Container, name: string, value: unknown): void {
  Object.defineProperty(container, name, { value, enumerable: true, configurable: true, writable: true })
}
