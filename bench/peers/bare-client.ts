import { driveLoad } from '../harness/load.ts';
import { expectPaid, type PaymentJob } from '../harness/payment-job.ts';
import { serveJobs } from '../harness/serve-jobs.ts';

const headers = { 'PAYMENT-SIGNATURE': 'p'.repeat(1984) };

/** Asks as a paying client does, first without and then with a payment, which is none. */
const work = ({ url, privateKeys, operations }: PaymentJob) =>
  driveLoad({
    workers: privateKeys.length,
    operations,
    operate: async () => {
      const offer = await fetch(url);
      await offer.text();
      await expectPaid(await fetch(url, { headers }));
    },
  });

serveJobs(work);
