/** Environment variables by name. Apart from the settings, whose types need zod, which is not installed with us. */
export type Variables = Readonly<Record<string, string | undefined>>;
