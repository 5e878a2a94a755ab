import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DevnodeError } from '../../src/errors.ts';
import { Handles } from '../../src/kmd/handles.ts';
import { kmdRoutes } from '../../src/kmd/routes.ts';
import { Wallets } from '../../src/kmd/wallets.ts';

const random = (bytes: number): Uint8Array => crypto.getRandomValues(new Uint8Array(bytes));
const wallets = new Wallets(random);
const handles = new Handles({ wallets, lifetimeMs: 60_000, now: () => 0, random });
const wallet = wallets.create({ name: 'w', driver: 'sqlite', password: '', masterDerivationKey: new Uint8Array(32) });
const [first, second] = [wallet.generateKey(), wallet.generateKey()];
const handle = handles.open(wallet);
const routes = kmdRoutes(wallets, handles);

const MEMBERS = [
  'wallet_name',
  'wallet_driver_name',
  'wallet_id',
  'wallet_password',
  'master_derivation_key',
  'display_mnemonic',
  'private_key',
  'address',
  'transaction',
  'public_key',
  'data',
  'multisig_version',
  'threshold',
  'pks',
  'partial_multisig',
  'signer',
  'use_legacy_msig',
];

const base64 = fc.uint8Array({ maxLength: 70 }).map((bytes) => Buffer.from(bytes).toString('base64'));
const value = fc.oneof(
  base64,
  fc.constantFrom(...[first, second].map((key) => Buffer.from(key).toString('base64'))),
  fc.jsonValue({ maxDepth: 2 }),
  fc.record({ subsig: fc.array(fc.record({ pk: base64 })), thr: fc.nat(3), v: fc.nat(2) }),
);
const body = fc.oneof(
  fc.json(),
  fc.string(),
  fc
    .dictionary(fc.constantFrom(...MEMBERS), value, { maxKeys: 5, noNullPrototype: true })
    .map((members) => JSON.stringify({ wallet_handle_token: handle, ...members })),
);

describe('every route of KMD', () => {
  test('answers any body with JSON or a refusal that a client can read', () => {
    fc.assert(
      fc.property(fc.constantFrom(...routes), body, (route, text) => {
        try {
          expect(JSON.parse(route.handle(Buffer.from(text)))).toBeTypeOf('object');
        } catch (error) {
          expect(error, `${route.path} ${text}`).toBeInstanceOf(DevnodeError);
          expect((error as DevnodeError).code).toBe('refused');
        }
      }),
      { numRuns: 2000 },
    );
  });
});
