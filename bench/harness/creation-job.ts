import type { SchemeNetworkClient } from '@x402/core/types';
import { ALGORAND_TESTNET } from '@avm402/core/network';
import { TESTNET } from '@avm402/algorand/networks';
import { driveLoad, type LoadResult } from './load.ts';

/** Work for a process that makes payments and sends none. */
export interface CreationJob {
  readonly payTo: string;
  /** Absent: the payment carries its own fee. */
  readonly feePayer?: string;
  readonly operations: number;
}

/** Makes payments one after another through the interface that a stock client calls its schemes by. */
export function createPayments(scheme: SchemeNetworkClient, job: CreationJob): Promise<LoadResult> {
  const requirements = {
    scheme: 'exact',
    network: ALGORAND_TESTNET,
    asset: TESTNET.usdcAssetId.toString(),
    amount: '10000',
    payTo: job.payTo,
    maxTimeoutSeconds: 300,
    extra: job.feePayer === undefined ? {} : { feePayer: job.feePayer },
  };
  const members = job.feePayer === undefined ? 1 : 2;
  return driveLoad({
    workers: 1,
    operations: job.operations,
    operate: async () => {
      const { payload } = await scheme.createPaymentPayload(2, requirements);
      const group = payload['paymentGroup'];
      if (!Array.isArray(group) || group.length !== members) throw new Error('not the payment asked for');
    },
  });
}
