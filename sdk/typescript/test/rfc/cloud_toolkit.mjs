import { PluginServer, StdioTransport } from '@tenon/sdk';
import * as crypto from "node:crypto";
import { z } from "zod";

/** @typedef {{ Bucket: string, Key: string }} Place */
/** @type {Map<string, Uint8Array>} */
const objects = new Map();
const s3 = {
  /** @param {Place} place */
  async getObject({ Key }) {
    const body = objects.get(Key);
    return { Body: body && { transformToString: async () => new TextDecoder().decode(body) } };
  },
  /** @param {Place & { Body: Uint8Array, ServerSideEncryption: string }} object */
  async putObject({ Key, Body }) {
    objects.set(Key, Body);
  },
  /** @param {string} _method @param {Place & { Expires: number }} object */
  async getSignedUrl(_method, { Key, Expires }) {
    return `https://bucket/${Key}?expires=${Expires}`;
  },
  /** @param {{ Bucket: string, Prefix: string | undefined, MaxKeys: number }} wanted */
  async listObjectsV2({ MaxKeys }) {
    return { Contents: [...objects.keys()].slice(0, MaxKeys).map((Key) => ({ Key })) };
  },
};
const bucket = "bucket";

const server = new PluginServer({
    name: "cloud-toolkit",
    version: "2.0.0",
    capabilities: ["storage", "functions"]
});

// State storage handlers
server
    .storageRead(async ({ path }) => {
        const response = await s3.getObject({
            Bucket: bucket,
            Key: `states/${path}`
        });
        return { 
            state: await response.Body?.transformToString() || null 
        };
    })
    .storageWrite(async ({ path, state }) => {
        await s3.putObject({
            Bucket: bucket,
            Key: `states/${path}`,
            Body: state,
            ServerSideEncryption: 'AES256'
        });
        return { success: true };
    })
    .storageLock(async ({ path }) => {
        // Implement DynamoDB-based locking
        return { lockId: crypto.randomUUID() };
    });

// Provider function definitions (inspired by MCP tools)
server
    .function(
        "presigned_url",
        {
            description: "Generate a presigned S3 URL",
            parameters: z.object({
                key: z.string().describe("S3 object key"),
                expires_in: z.number().default(3600).describe("URL expiration in seconds")
            }),
            returns: z.string()
        },
        async ({ key, expires_in }) => {
            return await s3.getSignedUrl('getObject', {
                Bucket: bucket,
                Key: key,
                Expires: expires_in
            });
        }
    )
    .function(
        "list_objects", 
        {
            description: "List objects in the state bucket",
            parameters: z.object({
                prefix: z.string().optional().describe("Filter by key prefix"),
                max_keys: z.number().default(100).describe("Maximum results")
            }),
            returns: z.array(z.string())
        },
        async ({ prefix, max_keys }) => {
            const response = await s3.listObjectsV2({
                Bucket: bucket,
                Prefix: prefix,
                MaxKeys: max_keys
            });
            return response.Contents?.map(obj => obj.Key) || [];
        }
    );

await new StdioTransport().connect(server);
