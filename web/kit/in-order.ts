/**
 * Accepts responses of one kind of request in the order of the requests. Call it with each request; the result tells,
 * once the response has arrived, whether to accept it: not if the response to a later request was accepted before.
 */
export function inOrder(): () => () => boolean {
  let asked = 0;
  let taken = 0;
  return () => {
    const own = ++asked;
    return () => {
      if (own < taken) return false;
      taken = own;
      return true;
    };
  };
}
