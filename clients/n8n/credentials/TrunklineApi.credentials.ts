import type {
  ICredentialDataDecryptedObject,
  ICredentialTestRequest,
  ICredentialType,
  Icon,
  IHttpRequestOptions,
  INodeProperties,
} from "n8n-workflow";

/** Address and tokens of an account. */
export class TrunklineApi implements ICredentialType {
  name = "trunklineApi";
  displayName = "Trunkline API";
  icon: Icon = { light: "file:../icons/trunkline.svg", dark: "file:../icons/trunkline.dark.svg" };
  documentationUrl = "https://github.com/trunkline/trunkline/blob/main/docs/n8n.md";

  properties: INodeProperties[] = [
    {
      displayName: "Service URL",
      name: "url",
      type: "string",
      required: true,
      default: "",
      placeholder: "https://messages.example",
      description: "Public address of your Trunkline installation",
    },
    {
      displayName: "Access Token",
      name: "accessToken",
      type: "string",
      typeOptions: { password: true },
      required: true,
      default: "",
      description: "A token of the kind access: trunkline token create --account ID --kind access",
    },
    {
      displayName: "API Key",
      name: "apiKey",
      type: "string",
      typeOptions: { password: true },
      default: "",
      description:
        "The account's API key, by which the trigger gets the secret that webhooks are signed with. Only the trigger needs it",
    },
  ];

  /** Routes of v3 take the API key, all others the access token. */
  authenticate = async (
    { accessToken, apiKey }: ICredentialDataDecryptedObject,
    request: IHttpRequestOptions,
  ): Promise<IHttpRequestOptions> => {
    const token = new URL(request.url, request.baseURL).pathname.includes("/v3/") ? apiKey : accessToken;
    return { ...request, headers: { ...request.headers, Authorization: `Bearer ${String(token)}` } };
  };

  test: ICredentialTestRequest = {
    request: { baseURL: '={{$credentials.url.replace(/\\/+$/, "")}}', url: "/v2/channels" },
  };
}
