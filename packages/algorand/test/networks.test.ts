import { expect, test } from 'vitest';
import { isDevelopmentGenesisId, LOCALNET, MAINNET, networkByGenesisHash, TESTNET } from '../src/networks.ts';

test('the public networks have their genesis and their USDC', () => {
  expect(MAINNET).toEqual({
    name: 'MainNet',
    genesisId: 'mainnet-v1.0',
    genesisHash: 'wGHE2Pwdvd7S12BL5FaOP20EGYesN73ktiC1qzkkit8=',
    usdcAssetId: 31566704n,
  });
  expect(TESTNET).toEqual({
    name: 'TestNet',
    genesisId: 'testnet-v1.0',
    genesisHash: 'SGO1GKSzyE7IEPItTxCByw9x8FmnrCDexi9/cOUJOiI=',
    usdcAssetId: 10458941n,
  });
});

test('the development network is named like LocalNet and has a hash that reads the same in URLs', () => {
  expect(LOCALNET).toMatchObject({ genesisId: 'dockernet-v1', usdcAssetId: 10458941n });
  expect(Buffer.from(LOCALNET.genesisHash, 'base64')).toHaveLength(32);
  expect(LOCALNET.genesisHash.slice(0, 32)).toMatch(/^[A-Za-z0-9]{32}$/);
});

test('networks are found by their genesis hash', () => {
  for (const network of [MAINNET, TESTNET, LOCALNET]) expect(networkByGenesisHash(network.genesisHash)).toBe(network);
  expect(networkByGenesisHash('AAAA')).toBeUndefined();
});

test('development networks are known by their genesis id', () => {
  expect(['dockernet-v1', 'devnet-v1', 'sandnet-v1'].every(isDevelopmentGenesisId)).toBe(true);
  expect(['mainnet-v1.0', 'testnet-v1.0', 'betanet-v1.0', ''].some(isDevelopmentGenesisId)).toBe(false);
});
