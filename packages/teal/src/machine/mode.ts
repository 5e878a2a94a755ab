/** How a program runs: as a logic signature, or as an application. */
export type Mode = 'signature' | 'application';
