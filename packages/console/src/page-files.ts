/** The output of `bundle.mjs`; it has the same place for a console that runs from source. */
export const PAGE_FILES = new URL('../dist/files/', import.meta.url);
