import { MAX_UINT64 } from '../codec/integer.ts';
import { parseAddress } from '@avm402/algorand/address';
import { assetParams } from '../codec/schema/transaction.ts';
import { addressKey, type AddressKey } from '../transaction/address-key.ts';
import { addHolding, countCreated } from '../ledger/asset-holding.ts';
import { StateDelta, type State } from '../ledger/state/state.ts';
import {
  DEVELOPMENT_ACCOUNT_NAMES,
  developmentAccounts,
  type DevelopmentAccountName,
} from '../genesis/development-accounts.ts';

/** The id that USDC has on TestNet. */
export const DEVELOPMENT_USDC = 10_458_941n;

const PAYER_BALANCE = 1_000_000n * 1_000_000n;

/**
 * Lays USDC over the state of round 0: an asset that no transaction created, held by the named accounts. The count of
 * transactions stays the same, so the next asset is still 1001.
 */
export function developmentUsdc(genesis: State): StateDelta {
  const state = new StateDelta(genesis);
  const issuer = keyOf('usdcIssuer');
  const role = parseAddress(developmentAccounts().usdcIssuer.address);
  const roles = { manager: role, reserve: role, freeze: role, clawback: role };
  const names = { unitName: Buffer.from('USDC'), name: Buffer.from('USDC') };
  state.setAsset(DEVELOPMENT_USDC, {
    creator: issuer,
    params: assetParams.of({ total: MAX_UINT64, decimals: 6, ...names, ...roles }),
  });
  countCreated(state, issuer, 1);
  const holders = DEVELOPMENT_ACCOUNT_NAMES.filter((name) => name !== 'dispenser' && name !== 'usdcIssuer');
  for (const name of holders) addHolding(state, keyOf(name), DEVELOPMENT_USDC, { amount: balanceOf(name) });
  const given = holders.reduce((sum, name) => sum + balanceOf(name), 0n);
  addHolding(state, issuer, DEVELOPMENT_USDC, { amount: MAX_UINT64 - given });
  return state;
}

function balanceOf(name: DevelopmentAccountName): bigint {
  return name.startsWith('payer') ? PAYER_BALANCE : 0n;
}

function keyOf(name: DevelopmentAccountName): AddressKey {
  return addressKey(parseAddress(developmentAccounts()[name].address));
}
