import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parseAccount } from '@avm402/algorand/account';
import { createPayer, createPayingFetch, type PayingFetchOptions, USDC_ASSETS } from '@avm402/client';
import { accounts } from './chain.ts';

const { mnemonic, privateKey } = accounts.payer;
const account = parseAccount(mnemonic);
const bytes = Buffer.from(privateKey, 'base64');
const hex = bytes.toString('hex');
const secrets = [mnemonic, privateKey, hex, bytes, { addr: 'x', sk: bytes }, { mnemonic }, [mnemonic], () => mnemonic];

/** What comes of options that no type lets through. */
function refusal(make: () => unknown): unknown {
  try {
    make();
  } catch (error) {
    return error;
  }
  return undefined;
}

const paying = (options: unknown) => refusal(() => createPayingFetch(options as PayingFetchOptions));

describe('a secret in the wrong place is refused and never shown', () => {
  const algod = { url: 'http://127.0.0.1:4001' };
  const places: Record<string, (secret: unknown) => unknown> = {
    options: (secret) => secret,
    account: (secret) => ({ account: secret }),
    client: (secret) => ({ client: secret }),
    journal: (secret) => ({ account, journal: secret }),
    'networks[*]': (secret) => ({ account, networks: { 'algorand:*': secret } }),
    'networks{}': (secret) => ({ account, networks: { [String(secret)]: algod } }),
    'networks[*].url': (secret) => ({ account, networks: { 'algorand:*': { url: secret } } }),
    'spend.perPayment': (secret) => ({ account, spend: { perPayment: secret } }),
    'spend.origins': (secret) => ({ account, spend: { origins: [secret] } }),
    'spend.payTo': (secret) => ({ account, spend: { payTo: [secret] } }),
    'spend.networks': (secret) => ({ account, spend: { networks: [secret] } }),
    'spend.assets': (secret) => ({ account, spend: { assets: [{ network: secret, asset: secret }] } }),
    'channels.store': (secret) => ({ account, channels: { store: secret } }),
  };
  it.each(Object.entries(places))('as %s', (_name, optionsWith) => {
    for (const secret of secrets) {
      for (const make of [createPayingFetch, createPayer]) {
        const error = refusal(() => make(optionsWith(secret) as PayingFetchOptions));
        expect(error, inspect(secret)).toMatchObject({ code: expect.stringMatching(/^invalid_/) });
        const told = inspect(error, { depth: 9 });
        for (const part of [mnemonic.slice(0, 20), privateKey.slice(0, 16), hex.slice(0, 16)]) {
          expect(told).not.toContain(part);
        }
      }
    }
  });
});

describe('an option that would be ignored is refused by its name', () => {
  const network = 'algorand:SGO1GKSzyE7IEPItTxCByw9x8FmnrCDe';
  it.each([
    [{ journel: {} }, 'option journel is unknown (did you mean journal?)'],
    [{ spend: { perDya: '$5' } }, 'option spend.perDya is unknown (did you mean perDay?)'],
    [{ spend: '$5' }, 'option spend must be an object'],
    [{ spend: { perDay: 5 } }, 'option spend.perDay must be a text'],
    [{ spend: { maxTimeoutSeconds: '60s' } }, 'option spend.maxTimeoutSeconds must be a whole number from 0 up'],
    [{ spend: { allowHttp: 'no' } }, 'option spend.allowHttp must be true or false'],
    [{ spend: { origins: 'https://x.example' } }, 'option spend.origins must be a list'],
    [
      { spend: { assets: [{ network, asset: '1', limit: {} }] } },
      'option spend.assets[0].limit is unknown (did you mean limits?)',
    ],
    [
      { spend: { assets: [{ network, asset: '1', limits: { perPayment: 1n, perDays: 2n } }] } },
      'option spend.assets[0].limits.perDays is unknown (did you mean perDay?)',
    ],
    [
      { spend: { assets: [{ network, asset: '1', limits: { perPayment: 1n, perDay: -1n } }] } },
      'option spend.assets[0].limits.perDay must be a bigint from 0 up',
    ],
    [{ channels: { maxDeposits: '$1' } }, 'option channels.maxDeposits is unknown (did you mean maxDeposit?)'],
    [{ channels: { depositMultiple: 0 } }, 'option channels.depositMultiple must be a whole number from 1 up'],
    [{ channels: { depositMultiple: 1.5 } }, 'option channels.depositMultiple must be a whole number from 1 up'],
    [{ channels: true }, 'option channels must be an object'],
    [{ networks: { 'algorand:*': { uri: 'http://x' } } }, 'option networks["algorand:*"].uri is unknown'],
    [{ journal: Promise.resolve() }, 'option journal must be an object with read and append'],
    [{ journal: 'payments.jsonl' }, 'option journal must be an object with read and append'],
    [{ dryRun: 'yes' }, 'option dryRun must be true or false'],
    [{ recoverMs: Number.NaN }, 'option recoverMs must be a whole number from 0 up'],
    [{ toString: 1 }, 'option toString is unknown'],
    [{ [mnemonic]: 1 }, `option a text of ${mnemonic.length} characters is unknown`],
  ])('%o', (options, message) => {
    expect(paying({ account, ...options })).toMatchObject({
      code: 'invalid_spend_options',
      message: expect.stringContaining(message),
    });
  });

  it('as a deposit that is no price is', () => {
    expect(paying({ account, channels: { maxDeposit: '-$1' } })).toMatchObject({ code: 'price_not_positive' });
  });

  it.each([[undefined], [{}], [null], [{ account: null }], [{ spend: { perDay: '$5' } }]])(
    'and who pays is asked for: %o',
    (options) => {
      const message = expect.stringContaining('name who pays: { account: parseAccount(secret) }');
      expect(paying(options)).toMatchObject({ code: 'invalid_spend_options', message });
    },
  );

  it('while a member that is undefined counts as left out', () => {
    expect(paying({ account, journal: undefined, spend: { perDay: undefined } })).toBeUndefined();
    expect(paying({ account, spend: { assets: USDC_ASSETS } })).toBeUndefined();
  });
});
