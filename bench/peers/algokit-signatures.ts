import { ed25519Generator, ed25519Verifier } from '@algorandfoundation/algokit-utils/crypto';
import { doSignatures, type SignatureJob } from '../harness/signature-job.ts';
import { serveJobs } from '../harness/serve-jobs.ts';

// What the stock packages sign and verify with.
const { ed25519Pubkey, rawEd25519Signer } = ed25519Generator(new Uint8Array(32).fill(1));
const scheme = {
  sign: (message: Uint8Array) => rawEd25519Signer(message),
  verify: (message: Uint8Array, signature: Uint8Array) => ed25519Verifier(signature, message, ed25519Pubkey),
};

serveJobs((job: SignatureJob) => doSignatures(scheme, job));
