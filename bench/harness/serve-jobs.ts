/** Says to the process that forked this one that it is ready, and answers its jobs one after another until it ends. */
export function serveJobs<Job, Result>(work: (job: Job) => Promise<Result>): void {
  const send = (message: unknown): void => void process.send?.(message);
  process.on('message', (job: Job) => {
    work(job).then(
      (result) => send({ result }),
      (error: unknown) => send({ failure: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
    );
  });
  process.once('disconnect', () => process.exit(0)).once('SIGTERM', () => process.exit(0));
  send({ ready: true });
}
