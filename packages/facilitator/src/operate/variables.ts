/** Environment variables by name. Not beside the settings, whose types need zod, which is not installed with this package. */
export type Variables = Readonly<Record<string, string | undefined>>;
