/** Resolves when `look` says yes; fails after some seconds of no. */
export async function eventually(look: () => Promise<boolean> | boolean, timeoutMs = 20_000): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await look())) {
    if (Date.now() > deadline) throw new Error(`it did not happen within ${timeoutMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
