export { type UptoAuthorization, uptoProgram } from './upto-program.ts';
