import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { run, type StackValue } from '../../src/run.ts';
import { type Outcome, runOperation } from './operation.ts';

/** What algod v5.0.0 answered, from its traces: how many cases of each opcode. Integers end in `n`, bytes are hex. */
const RECORDED = {
  ecdsa_verify: 21,
  ecdsa_pk_decompress: 17,
  ecdsa_pk_recover: 8,
  vrf_verify: 16,
  falcon_verify: 7,
  ec_add: 34,
  ec_scalar_mul: 37,
  ec_multi_scalar_mul: 29,
  ec_subgroup_check: 21,
  ec_map_to: 21,
  ec_pairing_check: 25,
  mimc: 19,
  poseidon2: 19,
  base64_decode: 46,
  json_ref: 61,
} as const;

interface Case {
  readonly note: string;
  readonly immediate?: number;
  readonly in: readonly string[];
  readonly out?: readonly string[];
  readonly error?: string;
}

describe.each(Object.entries(RECORDED))('%s', (name, count) => {
  const cases: Case[] = JSON.parse(
    readFileSync(new URL(`vectors/${name.replaceAll('_', '-')}.json`, import.meta.url), 'utf8'),
  );

  test(`answers as algod did, ${count} times`, () => {
    expect(cases).toHaveLength(count);
    for (const { note, immediate, in: values, out, error } of cases) {
      const outcome = runOperation(name, immediate, values.map(valueOf));
      expect({ note, ...asText(outcome) }).toEqual({ note, ...(error === undefined ? { out } : { error }) });
    }
  });
});

test('a curve of ECDSA is unknown before its version, and only secp256k1 recovers keys', () => {
  expect(
    run(Uint8Array.of(6, 0x80, 0, 0x06, 1), { group: [], index: 0, budget: { remaining: 9000 } }).error?.message,
  ).toBe('invalid curve 1');
  expect(runOperation('ecdsa_pk_recover', 1, [new Uint8Array(), 9n, new Uint8Array(), new Uint8Array()])).toEqual({
    error: 'unsupported curve 1',
  });
  expect(runOperation('ecdsa_pk_recover', 2, [new Uint8Array(), 9n, new Uint8Array(), new Uint8Array()])).toEqual({
    error: 'invalid curve 2',
  });
});

function valueOf(text: string): StackValue {
  return text.endsWith('n') ? BigInt(text.slice(0, -1)) : Uint8Array.from(Buffer.from(text, 'hex'));
}

function asText(outcome: Outcome): { out: string[] } | { error: string } {
  if ('error' in outcome) return outcome;
  return {
    out: outcome.out.map((value) => (typeof value === 'bigint' ? `${value}n` : Buffer.from(value).toString('hex'))),
  };
}
