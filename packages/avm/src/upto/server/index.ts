export { UptoAvmServer } from './upto-avm-server.ts';
