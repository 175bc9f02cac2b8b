/** What n8n-workflow gives nodes at run time, in place of that package: it brings 200 MB of others. */

class NodeOperationError extends Error {
  constructor(node, error, options = {}) {
    super(typeof error === "string" ? error : error.message, { cause: error });
    this.node = node;
    this.context = options;
    this.description = options.description ?? null;
  }
}

class NodeApiError extends Error {
  constructor(node, response, options = {}) {
    super(options.message ?? String(response.message));
    this.node = node;
    this.context = options;
    this.description = options.description ?? null;
    this.httpCode = options.httpCode ?? null;
  }
}

module.exports = { NodeApiError, NodeConnectionTypes: { Main: "main" }, NodeOperationError };
