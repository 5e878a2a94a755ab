/** The bundler takes a style for its effect. */
declare module '*.css';
