import type { Account } from '@avm402/algorand/account';
import type { AccountInformation, AlgodClient } from '@avm402/algorand/algod';
import { amountInWords } from '@avm402/client/diagnosis';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import { lackOfAlgo, lackOfAsset } from '../node/funds.ts';
import { ok, problem, type Finding } from './finding.ts';

/** Checks whether the account of the environment can pay an offer. */
export async function examinePayer(
  algod: AlgodClient,
  { address, signerAddress }: Account,
  offer: PaymentRequirements,
): Promise<Finding[]> {
  const account = await algod.account(address);
  const { authAddress = address } = account;
  const { payTo, extra } = offer;
  const findings: Finding[] = [];
  if (authAddress !== signerAddress) {
    const message = `${address} is rekeyed to ${authAddress}, the key here belongs to ${signerAddress}`;
    const fix = `Use the key of ${authAddress}, with --from ${address} when paying.`;
    findings.push(problem('payer key', message, fix));
  }
  if (address === payTo || address === extra['feePayer']) {
    const who = address === payTo ? 'receives the payment' : "pays the network's fee for buyers";
    return [...findings, problem('payer', `${address} itself ${who}`, 'Pay from another account.')];
  }
  if (account.amount === 0n) {
    const message = `${address} does not exist on this network: it has no ALGO`;
    return [...findings, problem('payer', message, 'Fund it; on a development node, run avm402 fund.')];
  }
  return [...findings, examineFee(account, offer), await examineHolding(algod, address, offer)];
}

function examineFee(account: AccountInformation, { extra }: PaymentRequirements): Finding {
  const lack = extra['feePayer'] === undefined ? lackOfAlgo(account) : undefined;
  return lack ? problem('payer', lack.message, lack.remedy) : ok('payer', `${account.address} is funded`);
}

async function examineHolding(algod: AlgodClient, address: string, offer: PaymentRequirements): Promise<Finding> {
  const { network, asset, amount } = offer;
  const price = { network, asset, amount: BigInt(amount) };
  const held = await algod.accountAsset(address, BigInt(asset));
  if (held?.isFrozen === true) {
    return problem('payer asset', 'the payer is frozen for this asset', 'Pay from another account.');
  }
  const lack = lackOfAsset(address, held, price);
  if (lack) return problem('payer asset', lack.message, lack.remedy);
  const has = amountInWords({ ...price, amount: held?.amount ?? 0n });
  return ok('payer asset', `holds ${has}, the offer asks for ${amountInWords(price)}`);
}
