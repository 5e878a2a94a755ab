import { networksEqual } from '@avm402/core/network';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import { parseSupportedResponse, type SupportedResponse } from '@avm402/core/supported-response';
import { explain } from '../words/explain.ts';
import { ok, problem, skipped, type Finding } from './finding.ts';

const TIMEOUT_MS = 10_000;

/** Checks whether the facilitator answers and supports the offer. */
export async function examineFacilitator(
  url: string | undefined,
  offer: PaymentRequirements,
  fetch: typeof globalThis.fetch,
): Promise<Finding> {
  if (!url)
    return skipped('facilitator', 'set FACILITATOR_URL or --facilitator to check it; only the seller knows its URL');
  try {
    const response = await fetch(`${url.replace(/\/+$/, '')}/supported`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (!response.ok)
      return problem(
        'facilitator',
        `${url}/supported answers ${response.status}`,
        'Check the URL and the facilitator.',
      );
    return examineSupport(url, parseSupportedResponse(await response.json()), offer);
  } catch (error) {
    return problem(
      'facilitator',
      `${url} does not answer as a facilitator: ${explain(error).message}`,
      'Check the URL, and that it runs.',
    );
  }
}

function examineSupport(
  url: string,
  supported: SupportedResponse,
  { scheme, network, extra }: PaymentRequirements,
): Finding {
  const kinds = supported.kinds.filter((kind) => kind.scheme === scheme && networksEqual(kind.network, network));
  if (kinds.length === 0) {
    return problem(
      'facilitator',
      `${url} does not support ${scheme} on ${network}`,
      'Use a facilitator of this network.',
    );
  }
  const { feePayer } = extra;
  const signers = Object.values(supported.signers ?? {}).flat();
  if (typeof feePayer === 'string' && signers.length > 0 && !signers.includes(feePayer)) {
    return problem(
      'facilitator',
      `the offered fee payer ${feePayer} is not one of its accounts`,
      'Restart the server: it still offers an old account.',
    );
  }
  return ok('facilitator', `${url} supports ${scheme} on ${network}`);
}
