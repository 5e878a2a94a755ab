import { isAddress } from '@avm402/algorand/address';
import { canonicalNetwork, isAlgorandNetwork } from '@avm402/core/network';
import type { PaymentRequired } from '@avm402/core/payment-required';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import { whyNotFeePayer, type SpendPolicy } from '../../budget/spend-policy.ts';
import { excerpt } from '../words/printable.ts';
import { ok, problem, warning, type Finding } from './finding.ts';

/** The offers that can be paid on Algorand, and what is wrong with the others. */
export function examineOffers(
  { accepts }: PaymentRequired,
  policy: SpendPolicy,
  payer: string | undefined,
): { payable: PaymentRequirements[]; findings: Finding[] } {
  if (accepts.length === 0) {
    return { payable: [], findings: [problem('offers', 'the offer is empty', 'Offer at least one way to pay.')] };
  }
  const judged = accepts.map((offer, index) => ({ offer, findings: examineEntry(offer, `offer ${index + 1}`) }));
  const sound = judged
    .filter(({ findings }) => findings.every(({ status }) => status === 'ok'))
    .map(({ offer }) => offer);
  const findings = judged.flatMap((one) => one.findings);
  if (sound.length === 0) return { payable: [], findings };
  const refusals = sound.map((offer) => policy.whyNotOffer(offer, payer));
  const payable = sound.filter((_offer, index) => refusals[index] === undefined);
  if (payable.length > 0) return { payable, findings: [...findings, ok('limits', 'within the default limits')] };
  const reasons = refusals.map((refusal) => refusal?.reason).join('; ');
  const fix = 'Ask for less or for USDC, or tell clients which limits to set.';
  return {
    payable: sound,
    findings: [...findings, warning('limits', `clients with default limits refuse: ${excerpt(reasons)}`, fix)],
  };
}

function examineEntry(offer: PaymentRequirements, check: string): Finding[] {
  const { scheme, network, asset, amount, payTo } = offer;
  if (scheme !== 'exact')
    return [problem(check, `the scheme ${excerpt(scheme)} is not paid here`, 'Offer the scheme exact.')];
  if (!isAlgorandNetwork(network)) {
    return [
      warning(
        check,
        `${excerpt(network)} is not Algorand; other clients may pay it`,
        'Offer an Algorand network, too.',
      ),
    ];
  }
  if (!/^[1-9]\d{0,19}$/.test(asset)) {
    return [
      problem(
        check,
        `${excerpt(asset)} is not an asset id`,
        'Name the asset by its number, for example 31566704 for USDC on MainNet.',
      ),
    ];
  }
  if (!isAddress(payTo))
    return [problem(check, `${excerpt(payTo)} is not an Algorand address`, 'Correct payTo: 58 characters.')];
  if (!/^[1-9]\d{0,18}$/.test(amount)) {
    return [
      problem(
        check,
        `${excerpt(amount)} is not an amount of atomic units above zero`,
        'Write $0.01 as 10000 (6 decimals).',
      ),
    ];
  }
  const refusal = whyNotFeePayer(offer, undefined);
  if (refusal) return [problem(check, refusal.reason, "Offer the facilitator's own account as fee payer.")];
  return [ok(check, `${amount} of asset ${asset} on ${canonicalNetwork(network)}`)];
}
