export { type CreatedAuthorization, UptoAvmClient, type UptoAvmClientOptions } from './upto-avm-client.ts';
