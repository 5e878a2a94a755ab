export { programAddress } from '@avm402/algorand/program';
