import { LOCALNET, MAINNET, TESTNET } from '@avm402/algorand/networks';
import { ALGORAND_TESTNET, algorandNetwork, algorandNetworkLong } from '@avm402/core/network';
import { expect, it } from 'vitest';
import { payingPage } from '../src/paying-page.ts';

const LOCAL = algorandNetwork(LOCALNET.genesisHash);
/** CAIP-2 id of a network that nobody has. */
const UNKNOWN = 'algorand:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';

it('knows the public networks and the embedded node, and lets a page ask the algods of the offered ones alone', () => {
  const { settings, connect } = payingPage().on([ALGORAND_TESTNET]);
  expect(settings).toMatchObject({
    networks: { [ALGORAND_TESTNET]: { name: 'TestNet', genesisId: TESTNET.genesisId, hasDevelopmentAccounts: false } },
  });
  expect(connect).toContain('https://testnet-api.4160.nodely.dev');
  expect(connect.join(' ')).not.toContain('mainnet');
  expect(payingPage().on([algorandNetwork(MAINNET.genesisHash)]).connect).toContain(
    'https://mainnet-api.4160.nodely.dev',
  );
});

it('offers development accounts on the embedded node alone', () => {
  expect(payingPage().on([LOCAL]).settings).toMatchObject({ networks: { [LOCAL]: { hasDevelopmentAccounts: true } } });
});

it('takes an algod for a network in any spelling, in place of its own', () => {
  const url = 'https://algod.example/v1';
  const page = payingPage({ networks: { [algorandNetworkLong(TESTNET.genesisHash)]: { url } } });
  const { settings, connect } = page.on([ALGORAND_TESTNET]);
  expect(settings).toMatchObject({ networks: { [ALGORAND_TESTNET]: { algod: { url } } } });
  expect(connect).toContain('https://algod.example');
  expect(connect.join(' ')).not.toContain('nodely');
});

it('says nothing of a network without an algod, and refuses what is no network', () => {
  expect(payingPage().on([UNKNOWN]).settings).toMatchObject({ networks: {} });
  expect(() => payingPage({ networks: { testnet: { url: 'https://algod.example' } } })).toThrow(
    expect.objectContaining({ code: 'invalid_network' }),
  );
});

it.each(['algod.example', 'ftp://algod.example', ''])(
  'refuses an algod at %j when it is made, not when a page is asked for',
  (url) => {
    expect(() => payingPage({ networks: { [LOCAL]: { url } } })).toThrow(
      expect.objectContaining({ code: 'invalid_algod_options' }),
    );
  },
);

it('names every file by its content, and starts one of them', () => {
  const { files, entry } = payingPage();
  expect(files.get(entry)?.type).toBe('text/javascript; charset=utf-8');
  for (const name of files.keys()) expect(name).toMatch(/-[A-Z\d]{8}\.(?:js|css|html)$/);
});
