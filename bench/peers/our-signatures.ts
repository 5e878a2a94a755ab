import { createSigner, verify } from '@avm402/algorand/ed25519';
import { doSignatures, type SignatureJob } from '../harness/signature-job.ts';
import { serveJobs } from '../harness/serve-jobs.ts';

const signer = createSigner(new Uint8Array(32).fill(1));
const scheme = {
  sign: (message: Uint8Array) => signer.sign(message),
  verify: (message: Uint8Array, signature: Uint8Array) => verify(signer.publicKey, message, signature),
};

serveJobs((job: SignatureJob) => doSignatures(scheme, job));
