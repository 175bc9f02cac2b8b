/** What each process that a test starts inherits: the programs, and the compiled code of all test processes. */
export const INHERITED: NodeJS.ProcessEnv = {
  PATH: process.env["PATH"],
  ...(process.env["NODE_COMPILE_CACHE"] === undefined
    ? {}
    : { NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] }),
};
