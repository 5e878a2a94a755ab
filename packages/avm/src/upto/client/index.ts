export { UptoAvmClient, type UptoAvmClientOptions } from './upto-avm-client.ts';
