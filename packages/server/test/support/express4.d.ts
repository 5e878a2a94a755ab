// Express 4 under a name of its own. The types of Express 5 stand for both; what the tests use is the same.
declare module 'express4' {
  import express from 'express';
  export default express;
}
