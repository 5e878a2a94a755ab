import algosdk from 'algosdk';
import { doSignatures, type SignatureJob } from '../harness/signature-job.ts';
import { serveJobs } from '../harness/serve-jobs.ts';

const { sk, addr } = algosdk.generateAccount();
const scheme = {
  sign: (message: Uint8Array) => algosdk.signBytes(message, sk),
  verify: (message: Uint8Array, signature: Uint8Array) => algosdk.verifyBytes(message, signature, addr),
};

serveJobs((job: SignatureJob) => doSignatures(scheme, job));
