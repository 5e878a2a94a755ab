/** Work for a process that has a settlement store open. */
export interface StoreJob {
  /** `payments`: everything that a settlement writes and reads; `fill`: old final rows; `prune`: removes them, 500 a time. */
  readonly task: 'payments' | 'fill' | 'prune';
  /** Payments; rows that there shall be; or batches. */
  readonly operations: number;
}
