import type { AlgodClient } from '@avm402/algorand/algod';
import type { Account } from '@avm402/algorand/account';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import { amountInWords } from '@avm402/client/diagnosis';
import { ok, problem, type Finding } from './finding.ts';

const MIN_FEE = 1_000n;

/** Checks whether the account of the environment can pay an offer. */
export async function examinePayer(
  algod: AlgodClient,
  account: Account,
  offer: PaymentRequirements,
): Promise<Finding[]> {
  const { address, signerAddress } = account;
  const { amount, minBalance, authAddress = address } = await algod.account(address);
  const findings: Finding[] = [];
  if (authAddress !== signerAddress) {
    findings.push(
      problem(
        'payer key',
        `${address} is rekeyed to ${authAddress}, the key here belongs to ${signerAddress}`,
        `Use the key of ${authAddress}, with --from ${address} when paying.`,
      ),
    );
  }
  const { payTo, extra } = offer;
  if (address === payTo || address === extra['feePayer']) {
    const who = address === payTo ? 'receives the payment' : "pays the network's fee for buyers";
    findings.push(problem('payer', `${address} itself ${who}`, 'Pay from another account.'));
    return findings;
  }
  if (amount === 0n) {
    return [
      ...findings,
      problem(
        'payer',
        `${address} does not exist on this network: it has no ALGO`,
        'Fund it; on a development node, run avm402 fund.',
      ),
    ];
  }
  const pays = extra['feePayer'] === undefined;
  findings.push(
    pays && amount < minBalance + MIN_FEE
      ? problem(
          'payer',
          `${address} does not have enough ALGO for the network fee`,
          'Fund it; on a development node, run avm402 fund.',
        )
      : ok('payer', `${address} is funded`),
    await examineHolding(algod, address, offer),
  );
  return findings;
}

async function examineHolding(algod: AlgodClient, address: string, offer: PaymentRequirements): Promise<Finding> {
  const held = await algod.accountAsset(address, BigInt(offer.asset));
  const asked = BigInt(offer.amount);
  const inWords = (amount: bigint): string => amountInWords({ ...offer, amount });
  if (!held)
    return problem(
      'payer asset',
      `${address} has not opted in to asset ${offer.asset}`,
      `avm402 optin --asset ${offer.asset}`,
    );
  if (held.isFrozen) return problem('payer asset', 'the payer is frozen for this asset', 'Pay from another account.');
  if (held.amount < asked) {
    return problem(
      'payer asset',
      `the payer holds ${inWords(held.amount)}, the offer asks for ${inWords(asked)}`,
      'Get more of the asset; on a development node, run avm402 fund.',
    );
  }
  return ok('payer asset', `holds ${inWords(held.amount)}, the offer asks for ${inWords(asked)}`);
}
