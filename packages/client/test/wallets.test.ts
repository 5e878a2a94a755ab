import { describe, expect, it } from 'vitest';
import { accountFromSeed, parseAccount, type Account } from '@avm402/algorand/account';
import { multisigAddress } from '@avm402/algorand/multisig';
import { TESTNET } from '@avm402/algorand/networks';
import { createMultisigWallet, createPayingFetch, settlementOf, type TransactionWallet } from '@avm402/client';
import { accounts } from './chain.ts';
import { rekey } from './rekey.ts';
import { asking } from './seller.ts';
import { useStage } from './stage.ts';

const stage = useStage();
const key = (fill: number): Account => accountFromSeed(new Uint8Array(32).fill(fill));

/** Pays one cent with a wallet, on the real ledger; resolves to what is debited from an address. */
async function debitedFrom(address: string, account: Account | TransactionWallet, extra?: object): Promise<bigint> {
  const { algod } = stage.chain;
  const holding = async (): Promise<bigint> => (await algod.accountAsset(address, TESTNET.usdcAssetId))?.amount ?? 0n;
  const before = await holding();
  const seller = await stage.sellerThat((seen, all) =>
    seen.payment ? stage.honest(seen, all) : asking([extra ? { extra: { ...extra } } : {}]),
  );
  const response = await createPayingFetch({ account, networks: { 'algorand:*': algod } })(seller.url);
  expect(settlementOf(response)).toMatchObject({ success: true });
  return before - (await holding());
}

describe('who can pay', () => {
  it.each([
    ['25 words', accounts.payer.mnemonic],
    ['base64 of 64 bytes', accounts.payer.privateKey],
    ['base64 of 32 bytes', Buffer.from(accounts.payer.privateKey, 'base64').subarray(0, 32).toString('base64')],
    ['hex', Buffer.from(accounts.payer.privateKey, 'base64').toString('hex')],
  ])('an account given as %s', async (_form, secret) => {
    expect(await debitedFrom(accounts.payer.address, parseAccount(secret))).toBe(10_000n);
  });

  it('an account that pays the network fee itself, when none is sponsored', async () => {
    const { algod } = stage.chain;
    const { amount } = await algod.account(accounts.payer.address);
    expect(await debitedFrom(accounts.payer.address, parseAccount(accounts.payer.privateKey), {})).toBe(10_000n);
    expect(amount - (await algod.account(accounts.payer.address)).amount).toBe(1000n);
  });

  it('an account that is rekeyed to another key', async () => {
    const owner = parseAccount(accounts.payer5.privateKey);
    await rekey(stage.chain.algod, owner, key(41).address);
    const { seed, address } = { seed: Buffer.alloc(32, 41).toString('base64'), address: owner.address };
    expect(await debitedFrom(address, parseAccount(seed, { address }))).toBe(10_000n);
  });

  it('a multisig account, and one that is rekeyed to it', async () => {
    const signers = [key(51), key(52), key(53)];
    const parameters = { version: 1, threshold: 2, publicKeys: signers.map(({ publicKey }) => publicKey) };
    const address = multisigAddress(parameters);
    await stage.chain.fund(address, 1_000_000n);
    await stage.chain.deal(address, TESTNET.usdcAssetId, 1_000_000n);
    expect(await debitedFrom(address, createMultisigWallet({ parameters, signers: signers.slice(1) }))).toBe(10_000n);

    const owner = parseAccount(accounts.payer6.privateKey);
    await rekey(stage.chain.algod, owner, address);
    const wallet = createMultisigWallet({ parameters, signers, address: owner.address });
    expect(await debitedFrom(owner.address, wallet)).toBe(10_000n);
  });
});
