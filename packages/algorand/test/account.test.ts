import { inspect } from 'node:util';
import algosdk from 'algosdk';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Account, accountFromSeed, createAccount, encodePrivateKey, parseAccount } from '../src/account.ts';
import { verify } from '../src/ed25519.ts';
import { seedToMnemonic } from '../src/mnemonic.ts';
import { requireAccount } from '../src/require-account.ts';
import { decodeSignedTransaction } from '../src/signed-transaction.ts';
import { type PaymentTransaction, transactionSigningBytes } from '../src/transaction.ts';
import { ACCOUNT_1, ACCOUNT_2, codeOf, errorOf, hexOf, SEED_1 } from './keys.ts';

const PRIVATE_KEY = Uint8Array.of(...SEED_1, ...ACCOUNT_1.publicKey);
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');

const PAYMENT: PaymentTransaction = {
  type: 'pay',
  sender: ACCOUNT_1.address,
  receiver: ACCOUNT_2.address,
  amount: 1n,
  fee: 1000n,
  firstValid: 1n,
  lastValid: 2n,
  genesisHash: new Uint8Array(32).fill(9),
};

/** Everything that a secret of this seed could be recognised by. */
function spellingsOf(seed: Uint8Array): string[] {
  const key = Uint8Array.of(...seed, ...accountFromSeed(seed).publicKey);
  const words = seedToMnemonic(seed);
  const bytes = [...seed].slice(0, 4).join(',');
  return [words, words.split(' ').slice(0, 3).join(' '), hexOf(seed), base64(seed).slice(0, 40), base64(key), bytes];
}

describe('parseAccount', () => {
  test.each([
    ['25 words', seedToMnemonic(SEED_1)],
    ['base64 of 64 bytes', base64(PRIVATE_KEY)],
    ['base64 of 64 bytes without padding', base64(PRIVATE_KEY).replaceAll('=', '')],
    ['URL-safe base64 of 64 bytes', base64url(PRIVATE_KEY)],
    ['base64 of 32 bytes', base64(SEED_1)],
    ['hex of 64 bytes', hexOf(PRIVATE_KEY)],
    ['hex of 32 bytes', hexOf(SEED_1).toUpperCase()],
    ['a text with white space around it', `\n ${base64(PRIVATE_KEY)} \n`],
  ])('reads %s', (_, secret) => {
    expect(parseAccount(secret).address).toBe(ACCOUNT_1.address);
  });

  test.each([
    ['nothing', '', 'invalid_key', 'empty'],
    ['an address', ACCOUNT_1.address, 'invalid_key', 'address'],
    ['24 words', 'abandon '.repeat(24), 'invalid_mnemonic', 'BIP39'],
    ['words in quotation marks', `"${seedToMnemonic(SEED_1)}"`, 'invalid_key', 'quotation marks'],
    ['a key in quotation marks', `"${base64(PRIVATE_KEY)}"`, 'invalid_key', 'quotation marks'],
    ['base64 of 48 bytes', base64(new Uint8Array(48).fill(250)), 'invalid_key', 'base64 of 48 bytes'],
    ['hex of 31 bytes', hexOf(SEED_1.subarray(1)), 'invalid_key', 'hex, with 62 characters'],
    ['hex with a prefix', `0x${hexOf(SEED_1)}`, 'invalid_key', 'hex, with 66 characters'],
    [
      'base64 whose halves do not fit',
      base64(Uint8Array.of(...SEED_1, ...SEED_1)),
      'invalid_key',
      'base64 of 64 bytes',
    ],
    ['hex whose halves do not fit', hexOf(Uint8Array.of(...SEED_1, ...SEED_1)), 'invalid_key', 'hex of 64 bytes'],
    ['something else', 'correct-horse!', 'invalid_key', '14 characters'],
  ])('refuses %s, says what it saw and does not repeat it', (_, secret, code, hint) => {
    const error = errorOf(() => parseAccount(secret));
    expect(error.code).toBe(code);
    expect(error.message).toContain(hint);
    const printed = inspect(error, { depth: 10, showHidden: true }).split('\n    at ')[0] ?? '';
    for (const part of secret.split(/[\s"]+/).filter((text) => text.length > 6)) expect(printed).not.toContain(part);
  });

  test('calls a variable that is not set empty', () => {
    // What JavaScript passes on, whatever the type says.
    const secret = process.env['NO_SUCH_VARIABLE'] as string;
    expect(errorOf(() => parseAccount(secret)).code).toBe('invalid_key');
  });

  test('never repeats a part of whatever text it refuses', () => {
    const canary = fc.string({
      minLength: 12,
      maxLength: 140,
      unit: fc.constantFrom(...Array.from('abcXYZ0189+/=_-"!{} ')),
    });
    fc.assert(
      fc.property(canary, (secret) => {
        let message = '';
        try {
          parseAccount(secret);
        } catch (error) {
          message = String(error);
        }
        fc.pre(secret.trim().length >= 12);
        expect(message).not.toContain(secret.trim().slice(0, 12));
      }),
    );
  });

  test('takes the account paid from when the key is that of a rekeyed account', () => {
    const account = parseAccount(base64(PRIVATE_KEY), { address: ACCOUNT_2.address });
    expect(account).toMatchObject({ address: ACCOUNT_2.address, signerAddress: ACCOUNT_1.address });
    expect(codeOf(() => parseAccount(base64(PRIVATE_KEY), { address: 'alice' }))).toBe('invalid_address');
    for (const options of [null, ACCOUNT_1.address]) {
      expect(codeOf(() => parseAccount(base64(PRIVATE_KEY), options as never))).toBe('invalid_address');
    }
  });

  test('reads what algosdk generates', () => {
    const { sk, addr } = algosdk.generateAccount();
    expect(parseAccount(base64(sk)).address).toBe(addr.toString());
    expect(parseAccount(algosdk.secretKeyToMnemonic(sk)).address).toBe(addr.toString());
  });
});

describe('an account', () => {
  test('signs its own transactions', () => {
    const { txn, signature, authAddress } = decodeSignedTransaction(ACCOUNT_1.signTransaction(PAYMENT));
    expect(txn).toEqual(PAYMENT);
    expect(authAddress).toBeUndefined();
    expect(verify(ACCOUNT_1.publicKey, transactionSigningBytes(PAYMENT), signature ?? new Uint8Array())).toBe(true);
  });

  test('names itself as the signer when the sender is rekeyed to it', () => {
    const account = accountFromSeed(SEED_1, { address: ACCOUNT_2.address });
    const signed = decodeSignedTransaction(account.signTransaction({ ...PAYMENT, sender: ACCOUNT_2.address }));
    expect(signed.authAddress).toBe(ACCOUNT_1.address);
  });

  test('does not sign for another sender', () => {
    const error = errorOf(() => ACCOUNT_2.signTransaction(PAYMENT));
    expect(error).toMatchObject({ code: 'invalid_transaction', field: 'sender' });
  });

  test('has its private key as wallets write it', () => {
    expect(encodePrivateKey(SEED_1)).toBe(base64(PRIVATE_KEY));
  });

  test('needs a seed of 32 bytes', () => {
    expect(codeOf(() => accountFromSeed(new Uint8Array(64)))).toBe('invalid_key');
  });
});

test('a new account comes from the random bytes given, and gives its seed only when asked', () => {
  const account = createAccount((bytes) => new Uint8Array(bytes).fill(5));
  expect(account.address).toBe(accountFromSeed(new Uint8Array(32).fill(5)).address);
  expect(account.exportSeed()).toEqual(new Uint8Array(32).fill(5));
});

describe('secrets', () => {
  const seed = Uint8Array.from({ length: 32 }, (_, index) => 201 - index * 3);

  const outputsOf = (account: Account): string[] => [
    inspect(account, { depth: 20, showHidden: true }),
    JSON.stringify(account),
    JSON.stringify(Object.getOwnPropertyDescriptors(account)),
    JSON.stringify({ ...account }),
    errorOf(() => account.signTransaction(PAYMENT)).message,
  ];

  test.each([
    ['parsed from words', parseAccount(seedToMnemonic(seed))],
    ['parsed from a key', parseAccount(encodePrivateKey(seed))],
    ['newly created', createAccount(() => seed)],
  ])('an account %s shows no spelling of its secret', (_, account) => {
    const outputs = outputsOf(account).map((text) => text.replaceAll(/[\s\n]+/g, ' '));
    for (const output of outputs) {
      for (const secret of spellingsOf(seed)) {
        expect(output).not.toContain(secret);
        expect(output).not.toContain(secret.replaceAll(',', ', '));
      }
    }
  });

  test('the search would find a secret that is shown', () => {
    const shown = inspect({ seed }, { maxArrayLength: 50 }).replaceAll(/\s+/g, ' ');
    expect(spellingsOf(seed).some((secret) => shown.includes(secret.replaceAll(',', ', ')))).toBe(true);
    expect(JSON.stringify({ words: seedToMnemonic(seed) })).toContain(spellingsOf(seed)[0]);
  });
});

describe('what is given as an account', () => {
  test('is the account itself', () => {
    expect(requireAccount(ACCOUNT_1)).toBe(ACCOUNT_1);
  });

  const words = seedToMnemonic(SEED_1);
  test.each<[string, unknown]>([
    ['words', words],
    ['a key', base64(PRIVATE_KEY)],
    ['bytes', PRIVATE_KEY],
    ['the account of another library', { addr: ACCOUNT_1.address, sk: PRIVATE_KEY }],
    ['half an account', { ...ACCOUNT_1, sign: undefined, words }],
    ['an account of no address', { ...outlineOf(ACCOUNT_1), address: words }],
    ['nothing', undefined],
  ])('is refused, and not shown, where it is %s', (_, given) => {
    const error = errorOf(() => requireAccount(given));
    expect(error).toMatchObject({ code: 'invalid_key', message: expect.stringContaining('parseAccount(secret)') });
    const shown = inspect(error, { depth: 9 });
    for (const secret of spellingsOf(SEED_1)) expect(shown).not.toContain(secret);
  });
});

/** An account as an object literal. */
function outlineOf({ address, signerAddress, publicKey }: Account): Account {
  const signed = (): Uint8Array => new Uint8Array(64);
  return { address, signerAddress, publicKey, sign: signed, signTransaction: signed };
}

test("a new account takes the platform's random bytes by default", () => {
  expect(createAccount().exportSeed()).toHaveLength(32);
  expect(createAccount().address).not.toBe(createAccount().address);
});
