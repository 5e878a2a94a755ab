/** Work for a process that does one thing only, as bare as the platform allows. */
export interface LimitsJob {
  readonly task: 'sign' | 'verify' | 'commit' | 'request';
  readonly operations: number;
}
